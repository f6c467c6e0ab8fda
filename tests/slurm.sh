#!/bin/sh
# A Slurm of three nodes on this machine: Debian's slurm-wlm and munge, with sockets, ports and state of its own.
#
#   sh tests/slurm.sh install              get them, if they are missing and we may
#   sh tests/slurm.sh free                 has no other Slurm this machine?
#   sh tests/slurm.sh start FOLDER PORT    controller, nodes n1 to n3; /etc/slurm/slurm.conf leads to its own
#   sh tests/slurm.sh node FOLDER n2       a node alone, such as one that was killed
#   sh tests/slurm.sh stop FOLDER
set -eu
PATH=$PATH:/usr/sbin:/sbin

install() {
  command -v slurmctld >/dev/null && command -v munged >/dev/null && exit 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge && exit 0
  fi
  echo "no Slurm, and it can't be installed here: the tests that need one will say that they are skipped" >&2
}

node() {
  slurmd -f "$1/slurm.conf" -N "$2"
}

# A test that was killed leaves its link behind: without a controller it is nobody's.
free() {
  conf=/etc/slurm/slurm.conf
  case "$(readlink $conf)" in
  */heed-slurm-*) kill -0 "$(cat "$(dirname "$(readlink $conf)")/ctld.pid")" 2>/dev/null || rm $conf ;;
  esac
  [ ! -e $conf ] && return
  echo "$conf is there: this machine belongs to a Slurm, or tests with one are under way" >&2
  return 1
}

start() {
  free
  mkdir -p "$1/state" "$1/spool"
  chmod 755 "$1" "$1/state" "$1/spool"
  head -c 1024 /dev/urandom >"$1/munge.key"
  chmod 600 "$1/munge.key"
  munged --force --key-file="$1/munge.key" --socket="$1/munge.sock" --pid-file="$1/munged.pid" \
    --log-file="$1/munged.log" --seed-file="$1/munge.seed"
  cat >"$1/slurm.conf" <<CONF
ClusterName=heed
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$2
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$1/munge.sock
StateSaveLocation=$1/state
SlurmctldPidFile=$1/ctld.pid
SlurmctldLogFile=$1/ctld.log
SlurmdSpoolDir=$1/spool/%n
SlurmdPidFile=$1/%n.pid
SlurmdLogFile=$1/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill,UsePss
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
SlurmdTimeout=15
KillWait=3
ReturnToService=2
MpiDefault=none
JobCompType=jobcomp/filetxt
JobCompLoc=$1/jobs
NodeName=n[1-3] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$(($2 + 1))-$(($2 + 3))] CPUs=1 RealMemory=8000
PartitionName=main Nodes=n[1-3] Default=YES DefMemPerCPU=500 MaxTime=60
CONF
  # The jobs' own srun is given no SLURM_CONF by snakemake.
  ln -sfn "$1/slurm.conf" /etc/slurm/slurm.conf
  slurmctld -f "$1/slurm.conf"
  for name in n1 n2 n3; do
    node "$1" $name
  done
}

stop() {
  # A node that is asked to end waits for its jobs.
  for file in "$1"/n?.pid; do
    [ -s "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null || true
  done
  for file in "$1"/ctld.pid "$1"/munged.pid; do
    [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null || true
  done
  [ "$(readlink /etc/slurm/slurm.conf)" != "$1/slurm.conf" ] || rm /etc/slurm/slurm.conf
}

"$@"
