# The hand that stops a command, in POSIX sh. Outlives the JVM that started it.
#
# Arguments: the marker (an environment entry that only this run's processes carry) and how the command was started:
# "group" (leader of its own session) or "tree" (in the session of a terminal). Standard input is a pipe from the JVM
# with messages of 64 bytes, padded with blanks and ended by a newline:
#   D pid term kill   the lease; times are /proc/uptime in hundredths of a second; pid 0: not started yet
#   S name            send this signal to the command
#   K kill            stop the command now, at the latest at this time by force
#   B                 the command has ended; stop what it left behind in its session
# The pipe ends when the JVM dies, however it dies. A JVM that hangs sends nothing, and then the last D counts.
# Exit status: 0 nothing was left, 10 stopped because of the lease, 11 stopped what was left behind, 12 broken.

marker=$1
how=$2
pid=0
session=0
term=0
kill=0
stopping=
trap '' INT HUP TERM QUIT TSTP PIPE

clock() {
    read -r now idle </proc/uptime || exit 12
    now=${now%.*}${now#*.}
    now=${now#0}
    now=${now#0}
}

# members: the pids that belong to the run, as "pid:group:session" words. Whoever carries the marker, whoever is in the
# command's own session, and the descendants of these. Zombies do not count.
members() {
    members=' '
    leader=$pid
    [ "$leader" -gt 0 ] || leader=none
    for file in $(grep -Fls -- "$marker" /proc/[0-9]*/environ 2>/dev/null); do
        file=${file#/proc/}
        members="$members${file%/environ} "
    done
    table=
    for file in /proc/[0-9]*/stat; do
        { read -r line <"$file"; } 2>/dev/null || continue
        one=${line%% *}
        set -- ${line##*) }
        case $1 in Z | X) continue ;; esac
        table="$table $one:$2:$3:$4"
        case $how:$4 in group:$leader) members="$members$one " ;; esac
        case $how:$one in tree:$leader) members="$members$one " ;; esac
    done
    grown=yes
    while [ -n "$grown" ]; do
        grown=
        for row in $table; do
            one=${row%%:*}
            parent=${row#*:}
            parent=${parent%%:*}
            case $members in *" $one "*) continue ;; esac
            case $members in *" $parent "*) members="$members$one " grown=yes ;; esac
        done
    done
    alive=
    for row in $table; do
        case $members in *" ${row%%:*} "*) alive="$alive ${row%%:*}:${row#*:*:}" ;; esac
    done
    members=$alive
}

# The group first, in one step that no fork escapes; then, one by one, whoever left it. CONT wakes what was stopped.
stop_with() {
    if [ "$how" = group ] && [ "$pid" -gt 0 ]; then
        kill -s "$1" -- "-$pid" 2>/dev/null
        kill -s CONT -- "-$pid" 2>/dev/null
    fi
    members
    for row in $members; do
        rest=${row#*:}
        case $how:${rest%%:*} in group:$pid) continue ;; esac
        kill -s "$1" "${row%%:*}" 2>/dev/null
        kill -s CONT "${row%%:*}" 2>/dev/null
    done
}

terminate() {
    stopping=yes
    stop_with TERM
}

# Sleeps for a fifth of a second, or until the time in $kill if that is nearer.
nap() {
    clock
    left=$((kill - now))
    if [ "$left" -ge 20 ]; then sleep 0.2; elif [ "$left" -ge 5 ]; then sleep "0.0$((left < 10 ? left : 9))"; else sleep 0.05; fi
}

# Until nobody is left; by force from the time in $kill on. $1 is the exit status.
drain() {
    quiet=0
    tries=0
    while :; do
        clock
        if [ "$now" -ge "$kill" ]; then
            stop_with KILL
            tries=$((tries + 1))
        else
            members
        fi
        if [ -z "$members" ]; then
            # A command that was being started while the JVM died may show up a moment later.
            quiet=$((quiet + 1))
            if [ "$pid" -gt 0 ] || [ "$quiet" -gt 10 ]; then exit "$1"; fi
        else
            quiet=0
        fi
        [ "$tries" -lt 200 ] || exit 12
        nap
    done
}

# What the command left in its session when it ended. Whoever made a session of its own meant to outlive it.
left_behind() {
    if [ "$how" = group ]; then
        kill -s 0 -- "-$pid" 2>/dev/null || return 1
    fi
    members
    for row in $members; do
        case ${row##*:} in "$session") return 0 ;; esac
    done
    return 1
}

tidy() {
    left_behind || exit 0
    clock
    [ $((now + 200)) -gt "$kill" ] || kill=$((now + 200))
    sent=TERM
    tries=0
    while left_behind; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || exit 12
        clock
        [ "$now" -lt "$kill" ] || sent=KILL
        for row in $members; do
            case ${row##*:} in "$session") kill -s "$sent" "${row%%:*}" 2>/dev/null ;; esac
        done
        [ "$sent" = TERM ] && sent=CONT
        sleep 0.05
    done
    exit 11
}

obey() {
    case $1 in
    D)
        pid=$2
        [ -n "$stopping" ] || term=$3
        kill=$4
        [ "$how" = tree ] || session=$pid
        ;;
    S)
        if [ "$how" = group ]; then
            kill -s "$2" -- "-$pid" 2>/dev/null
        else
            kill -s "$2" "$pid" 2>/dev/null
        fi
        ;;
    K)
        kill=$2
        [ -n "$stopping" ] || terminate
        ;;
    B)
        [ -z "$stopping" ] || drain 10
        tidy
        ;;
    esac
}

if [ "$how" = tree ]; then
    read -r line </proc/$PPID/stat || exit 12
    set -- ${line##*) }
    session=$4
fi
read -r message || exit 0
obey $message
while :; do
    clock
    left=$((term - now))
    if [ -n "$stopping" ]; then
        left=$((kill - now))
    fi
    if [ "$left" -le 0 ]; then
        [ -n "$stopping" ] || terminate
        [ "$kill" -gt "$now" ] || drain 10
        continue
    fi
    [ "$left" -le 1000 ] || left=1000
    messages=$(timeout -s KILL "$((left / 100)).$((left / 10 % 10))$((left % 10))" dd bs=4096 count=1 2>/dev/null)
    case $? in
    0) ;;
    124 | 137) continue ;;
    *) exit 12 ;;
    esac
    if [ -z "$messages" ]; then
        terminate
        drain 10
    fi
    while [ -n "$messages" ]; do
        message=${messages%%
*}
        messages=${messages#"$message"}
        messages=${messages#?}
        obey $message
    done
done
