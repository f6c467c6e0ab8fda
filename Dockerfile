# heed with its chapters, batch and site, without what only its tests need. README, "In a container".
FROM python:3.11-slim-bookworm

RUN apt-get update \
 && apt-get install -y --no-install-recommends git make \
 && rm -rf /var/lib/apt/lists/*

# A user of its own; Binder gives name and number.
ARG NB_USER=heed
ARG NB_UID=1000
RUN useradd --create-home --shell /bin/bash --uid ${NB_UID} ${NB_USER} \
 && install -d -o ${NB_UID} /home/${NB_USER}/heed
USER ${NB_USER}
WORKDIR /home/${NB_USER}/heed

COPY --chown=${NB_UID} . .
ENV EXTRAS=lab,batch,site
RUN make setup && rm -rf ~/.cache

ENV PATH=/home/${NB_USER}/heed/.venv/bin:${PATH}
EXPOSE 8888
CMD ["make", "lab", "LAB=--ip=0.0.0.0 --no-browser"]
