"""run.json: what a run says of itself, and which versions of that file are read."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from heed.errors import HeedError

SCHEMA = 1  # what is written; files from before it was written down have no number and are of version 1


class ProductRecord(BaseModel):
    """How a product was made. Only its checksum is needed to read it: older files lack some of the rest."""

    model_config = ConfigDict(extra="ignore", strict=True)

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="of the product's file")]
    bytes: int | None = Field(None, ge=0, description="of the product's file; null of older ones")
    origin: Literal["made", "committed checkpoint"] = Field("made", description="where it came from")
    settings: dict[str, Any] = Field(
        {}, description="parameters and texts that it depends on beyond the run's own"
    )
    library: str = Field("", description="twelve hex digits over heed's sources")
    versions: dict[str, str] = Field({}, description="Python's and the libraries'")
    device: Literal["cpu", "cuda"] = "cpu"
    machine: str = Field("", description="the processor's name")
    seconds: float = Field(0, ge=0, description="to make it, other products that it needed aside")
    peak_memory_mib: int | None = Field(
        None, ge=0, description="the most memory of its process until then, MiB; null where unknown"
    )


class RunFile(BaseModel):
    """A run's run.json."""

    model_config = ConfigDict(extra="ignore", strict=True)

    schema_version: int = Field(SCHEMA, ge=1, alias="schema", description="of this file's form")
    parameters: dict[str, Any] = Field(description="every parameter of the run, by name")
    products: dict[str, ProductRecord] = Field(description="by the product's name")
    scores: dict[str, Any] = Field(description="what training and testing came to")


def checked(found: Any, path: object) -> dict[str, Any]:
    """What a run.json holds, as it stands there. Raises HeedError on a later version's file.

    Raises pydantic's ValidationError, a ValueError, if it is none.
    """
    version = found.get("schema", 1) if isinstance(found, dict) else 1
    if isinstance(version, int) and version > SCHEMA:
        raise HeedError(
            f"{path} was written by a later heed (form {version}, this one reads up to {SCHEMA}). Update "
            "heed, or give another results folder."
        )
    RunFile.model_validate(found)
    return found
