# Stops a command in time when the JVM that runs it cannot, because it died or stands still. POSIX sh.
#
# Arguments: the marker (an environment entry that only this run's processes carry); "group" (the command leads a session
# of its own) or "tree" (it stays in the session of a terminal); its process id, 0 if it is not known yet, and its start as
# /proc tells it; the times of TERM and KILL, /proc/uptime in hundredths of a second, TERM "-" if it was sent already. They
# never change: a renewed lease gets another watchdog. Standard input is a pipe from the JVM: two numbers are the process
# id of the command and its start, "end" dismisses this watchdog, and the end of the pipe says that the JVM is dead.
# Exit status: 0 dismissed, 10 it stopped the command, 12 broken.

marker=$1
how=$2
pid=$3
born=$4
term=$5
kill=$6
members=
trap '' INT HUP TERM QUIT TSTP PIPE
for tool in timeout dd grep awk sleep; do command -v "$tool" >/dev/null || exit 12; done

clock() {
    read -r now idle </proc/uptime || exit 12
    now=${now%.*}${now#*.}
    now=${now#0}
    now=${now#0}
}

# Forgets the command's process id if another process has got it: session and group of this number are not ours then.
check_pid() {
    [ "$pid" -gt 0 ] && read -r stat 2>/dev/null </proc/"$pid"/stat || return
    # After the name in parentheses the start is the 20th field.
    set -- ${stat##*") "}
    [ $# -ge 20 ] || return
    shift 19
    [ "$1" = "$born" ] || pid=0
}

# Sets $members: all that carry the marker, are the command or in its own session, and the descendants of these; and
# $others: those of them that are not in the command's process group. Zombies do not count.
look() {
    check_pid
    marked=$(for digit in 1 2 3 4 5 6 7 8 9; do grep -Fls -- "$marker" /proc/$digit*/environ; done)
    found=$(printf '%s\n' /proc/[0-9]*/stat | awk -v marked="$(echo $marked)" -v how="$how" -v leader="$pid" '
        BEGIN { count = split(marked, files, " "); for (i = 1; i <= count; i++) carries[files[i]] = 1 }
        {
            line = ""
            while ((getline part < $0) > 0) line = line part " "
            close($0)
            sub(/^.*\) /, "", line)
            if (split(line, field, " ") < 4 || field[1] ~ /[ZX]/) next
            split($0, path, "/")
            parent[path[3]] = field[2]
            group[path[3]] = field[3]
            # Session 0 is that of the kernel and of init, never that of a command: a leader that is 0 matches nothing.
            if (("/proc/" path[3] "/environ") in carries || (leader > 0 && (path[3] == leader || (how == "group" && field[4] == leader))))
                member[path[3]] = 1
        }
        END {
            do {
                grown = 0
                for (one in parent) if (!(one in member) && parent[one] in member) grown = member[one] = 1
            } while (grown)
            for (one in member) if (one in parent) {
                if (how == "group" && leader > 0 && group[one] == leader) inside = inside " " one; else outside = outside " " one
            }
            print outside "+" inside
        }')
    others=${found%%+*}
    members=$others${found#*+}
}

# The group first, in one step that no fork escapes, and what is known; then what a look finds. CONT wakes the stopped.
stop_with() {
    check_pid
    if [ "$how" = group ] && [ "$pid" -gt 0 ]; then
        kill -s "$1" -- "-$pid"
        kill -s CONT -- "-$pid"
    fi
    [ "$1" = TERM ] || kill -s "$1" $members
    look
    [ "$1" = TERM ] || others=$members
    kill -s "$1" $others
    kill -s CONT $others
}

wake=$term
[ "$term" != - ] || wake=$kill
while clock && left=$((wake - now)) && [ "$left" -gt 0 ]; do
    said=$(timeout -s KILL "$((left / 100)).$((left / 10 % 10))$((left % 10))" dd bs=64 count=1)
    case $?:$said in
    *end*) exit 0 ;;
    126:* | 127:*) exit 12 ;;
    0:) break ;;
    *:[1-9]*)
        said=${said% }
        pid=${said% *}
        born=${said#* }
        ;;
    esac
done

if [ "$term" != - ]; then
    began=$now
    stop_with TERM
    clock
    # What a look takes now, it will take again between KILL and the end of the lease.
    kill=$((kill - now + began))
fi
quiet=0
tries=0
while [ "$tries" -lt 200 ]; do
    clock
    if [ "$now" -ge "$kill" ]; then
        stop_with KILL
        tries=$((tries + 1))
    else
        look
    fi
    if [ -n "$members" ]; then
        quiet=0
    else
        # A command that was being started while the JVM died may show up a moment later.
        quiet=$((quiet + 1))
        if [ "$pid" -gt 0 ] || [ "$quiet" -gt 10 ]; then exit 10; fi
    fi
    clock
    left=$((kill - now))
    if [ "$left" -ge 20 ]; then sleep 0.2; elif [ "$left" -gt 0 ]; then sleep "0.$((left / 10))$((left % 10))"; else sleep 0.05; fi
done
exit 12
