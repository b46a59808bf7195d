#!/usr/bin/env bash
# The floor under a deploy of Slurm: how fast a shell script over ssh can do the same by hand.
#
# One controller (munge, MariaDB, slurmdbd, slurmctld) and dynamic workers, accounting with one
# account and one user, then a job over all workers as that user. Nothing is checked, resumed,
# undone or written down, and every host is worked on at once: what a platform adds to this has to
# be worth its time.
#
#   slurm_floor.sh present  [options] CONTROLLER WORKER...   packages are there, nothing runs
#   slurm_floor.sh bare     [options] CONTROLLER WORKER...   bring and install the packages first
#   slurm_floor.sh teardown [options] CONTROLLER WORKER...   take away all but the packages
#   slurm_floor.sh wipe     [options] CONTROLLER WORKER...   the packages too
#
#   -s "OPTIONS"  for ssh      -b FOLDER  with controller.tar and worker.tar
#   -k            knows what the platform found out: packages that cannot speak to systemd do not
#                 have it read all units a dozen times, and a MariaDB without TLS makes no RSA key
#                 whenever it starts
#   Hosts are addresses where root may log in.
set -euo pipefail

VERB=${1:?present, bare, teardown or wipe}
shift
SSH_OPTIONS='' BUNDLES='' KNOWS=''
while getopts 's:b:k' option; do
    case $option in
        s) SSH_OPTIONS=$OPTARG ;;
        b) BUNDLES=$OPTARG ;;
        k) KNOWS=yes ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
CONTROLLER=${1:?the address of the controller}
WORKERS=("${@:2}")
HOSTS=("$@")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

on() { # ADDRESS COMMAND: stdin goes along
    # shellcheck disable=SC2086
    ssh -o BatchMode=yes -o LogLevel=ERROR $SSH_OPTIONS "root@$1" "$2"
}

everywhere() { # FUNCTION: for every host at once; fails if one fails
    local host jobs=()
    for host in "${HOSTS[@]}"; do
        "$1" "$host" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job"; done
}

now() { echo "${EPOCHREALTIME/,/.}"; }

phase() { # NAME BEGIN END
    awk -v name="$1" -v begin="$2" -v end="$3" 'BEGIN { printf "%-34s %7.2f s\n", name, end - begin }'
}

# Bare hosts: the bundle is unpacked as it comes, and installed without a service being started.
install_packages() {
    local bundle=worker.tar path=/usr/sbin:/usr/bin:/sbin:/bin
    [ "$1" = "$CONTROLLER" ] && bundle=controller.tar
    [ -z "$KNOWS" ] || path=/var/tmp/floor.mute:$path
    on "$1" "set -e
        dpkg-query -W -f '\${Package}\n' | sort > /var/tmp/floor.packages
        printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
        chmod 755 /usr/sbin/policy-rc.d
        mkdir -p /var/tmp/floor /var/tmp/floor.mute && cd /var/tmp/floor && tar -xf -
        for each in systemctl deb-systemd-invoke invoke-rc.d; do
            ln -sf /usr/bin/true /var/tmp/floor.mute/\$each
        done
        DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends \
            -o Dpkg::Use-Pty=0 -o DPkg::Path=$path ./*.deb > /var/tmp/floor.log 2>&1
        rm -rf /var/tmp/floor /var/tmp/floor.mute /usr/sbin/policy-rc.d
        [ -z '$KNOWS' ] || systemctl daemon-reload" < "$BUNDLES/$bundle"
}

# What both kinds of host begin with: the user, the cluster's key, munge.
join() {
    cat << END
set -e
useradd --uid 4242 --create-home --shell /bin/bash floor
base64 -d << KEY | install -o munge -g munge -m 400 /dev/stdin /etc/munge/munge.key
$KEY
KEY
systemctl restart munge
END
}

controller_script() {
    cat << END
mark() { echo "\$EPOCHREALTIME \$*"; }
opened() { until (: < "/dev/tcp/$CONTROLLER/\$1") 2> /dev/null; do sleep 0.01; done; }
mark start
[ -z '$KNOWS' ] || printf '[mariadbd]\nskip-networking\nskip-ssl\n' > /etc/mysql/mariadb.conf.d/60-floor.cnf
systemctl start mariadb &
database=\$!
$(join)
cat > /etc/slurm/slurm.conf << CONF
ClusterName=floor
SlurmctldHost=\$(hostname)($CONTROLLER)
SlurmUser=slurm
SlurmctldParameters=enable_configless
StateSaveLocation=/var/lib/slurm/slurmctld
SlurmdSpoolDir=/var/lib/slurm/slurmd
SlurmctldPidFile=/run/slurmctld/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MaxNodeCount=64
TreeWidth=65533
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=$CONTROLLER
AccountingStorageEnforce=associations
NodeSet=floor Feature=floor
PartitionName=main Nodes=floor Default=YES State=UP
CONF
echo CgroupPlugin=disabled > /etc/slurm/cgroup.conf
install -o slurm -g slurm -m 600 /dev/stdin /etc/slurm/slurmdbd.conf << CONF
AuthType=auth/munge
DbdHost=\$(hostname)
DbdAddr=$CONTROLLER
SlurmUser=slurm
PidFile=/run/slurmdbd/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StorageLoc=floor
CONF
mark key, user and files
wait \$database
mariadb --skip-ssl -e "create database floor; create user slurm@localhost identified via unix_socket;
    grant all on floor.* to slurm@localhost"
mark database
MYSQL_UNIX_PORT=/run/mysqld/mysqld.sock systemctl import-environment MYSQL_UNIX_PORT
systemctl start slurmdbd
opened 6819
mark accounting daemon
sacctmgr -iQ add cluster floor > /dev/null
sacctmgr -iQ add account floor Cluster=floor > /dev/null
sacctmgr -iQ add user floor Cluster=floor Account=floor > /dev/null
mark cluster, account and user
systemctl start slurmctld
mark scheduler
until [ "\$(sinfo -hN -t idle -o %N | wc -l)" = ${#WORKERS[@]} ]; do sleep 0.01; done
mark workers
cd /home/floor
runuser -u floor -- srun -N ${#WORKERS[@]} hostname < /dev/null > /var/tmp/floor.said
mark first job
END
}

worker_script() { # ADDRESS
    join
    cat << END
mkdir -p /etc/systemd/system/slurmd.service.d
cat > /etc/systemd/system/slurmd.service.d/floor.conf << CONF
[Service]
ExecStart=
ExecStart=/usr/sbin/slurmd --systemd -Z --conf-server $CONTROLLER --conf "Feature=floor NodeAddr=$1"
CONF
systemctl daemon-reload
until (: < "/dev/tcp/$CONTROLLER/6817") 2> /dev/null; do sleep 0.01; done
systemctl start slurmd
END
}

deploy() {
    if [ "$1" = "$CONTROLLER" ]; then
        controller_script | on "$1" bash > "$WORK/marks"
    else
        worker_script "$1" | on "$1" bash
    fi
}

teardown() {
    on "$1" 'systemctl stop slurmd slurmctld slurmdbd munge 2> /dev/null
        if systemctl -q is-active mariadb; then
            mariadb --skip-ssl -e "drop database floor; drop user slurm@localhost"
            systemctl stop mariadb
        fi
        systemctl unset-environment MYSQL_UNIX_PORT
        userdel -rf floor 2> /dev/null
        rm -rf /etc/mysql/mariadb.conf.d/60-floor.cnf
        rm -rf /etc/systemd/system/slurmd.service.d/floor.conf /etc/slurm/*.conf /etc/munge/munge.key \
            /var/lib/slurm/slurmctld/* /var/lib/slurm/slurmd/* /var/tmp/floor.said
        systemctl daemon-reload'
}

purge() {
    teardown "$1"
    on "$1" "dpkg-query -W -f '\${Package}\n' | sort | comm -13 /var/tmp/floor.packages - \
        | DEBIAN_FRONTEND=noninteractive xargs apt-get -qq purge -o Dpkg::Use-Pty=0 \
            > /var/tmp/floor.log 2>&1 && rm -rf /var/lib/mysql /var/tmp/floor.packages"
}

BEGIN=$(now)
case $VERB in
    bare)
        everywhere install_packages
        phase 'packages brought and installed' "$BEGIN" "$(now)"
        ;;&
    present | bare)
        KEY=$(head -c 128 /dev/urandom | base64)
        HERE=$(now)
        everywhere deploy
        read -r last _ < "$WORK/marks"
        phase 'reaching the hosts' "$HERE" "$last"
        while read -r at name; do
            phase "$name" "$last" "$at"
            last=$at
        done < <(tail -n +2 "$WORK/marks")
        ;;
    teardown) everywhere teardown ;;
    wipe) everywhere purge ;;
    *) exit 2 ;;
esac
phase 'in all' "$BEGIN" "$(now)"
