------------------------------ MODULE Redlock ------------------------------
(***************************************************************************)
(* Fenced Redlock: one name, one bucket, exclusive mode.                    *)
(*                                                                         *)
(* Time is not counted.  What correct clocks guarantee is stated instead:   *)
(* a node keeps the record of a proposal at least until the proposal is     *)
(* over at its client, because the client counts from before the sending    *)
(* and the node from the arrival (End before NodeExpires); and whatever     *)
(* was under way when a node forgot is over when its quarantine ends,       *)
(* because maxTtl bounds every TTL (QuarantineEnds).                        *)
(*                                                                         *)
(* Messages.  A request exists from the step that sends it and for ever:    *)
(* every node may execute it at any later step, any number of times, or     *)
(* never.  That is loss, delay, reordering and duplication at once.  A      *)
(* reply "yes" exists in yes[p] from the vote on and is counted by the      *)
(* client at any later step or never.                                       *)
(*                                                                         *)
(* Tokens are drawn freely from 1..MaxToken for every proposal: no clock is *)
(* trusted, and no client knows the fences of the nodes.                    *)
(*                                                                         *)
(* Step of the model      Code                                              *)
(* ---------------------- ------------------------------------------------- *)
(* Propose                RedlockStore.attempt: Proposals.next (token, fresh*)
(*                        proposal id), Verbs.vote                          *)
(* Vote                   vote-free.lua (the usual case), vote.lua; the flag  *)
(*                        u of a vote is ~firm                              *)
(* Grant                  Ballot.grant                                      *)
(* End                    the engine at the end of the validity; Ballot.grant*)
(*                        when nothing of the TTL is left; Verbs.release;   *)
(*                        Verbs.withdraw after a failed proposal            *)
(* ReleaseArrives         release-sole.lua (the usual case), release.lua    *)
(* NodeExpires            node.lua, sweep, and the expiry of the lock key   *)
(* Forget                 a restart or FLUSHALL, noticed in node.lua, remember,*)
(*                        by the run id that the connection sends (U9)      *)
(* QuarantineEnds         node.lua, field until (U9); ROUND and Ballot.grant  *)
(*                        with quarantine=off                               *)
(* LearnRead              Relearning.run: high.lua on the other nodes (U7)  *)
(* LearnDone              Relearning.teach: learn.lua, field floor (U7)     *)
(* ColdDone               the same after a majority forgot: argument "cold" of *)
(*                        learn.lua, by which the node's clock stands in for *)
(*                        the lost fences.  No time is counted here, so what *)
(*                        the clock is worth is assumed (ClockAbove): it is  *)
(*                        past every token that was granted.  Who has        *)
(*                        forgotten is read before, and may have relearned   *)
(*                        since: so any learning node may do this, and it    *)
(*                        uses nothing of what the others showed             *)
(*                                                                         *)
(* Grant, late           NodeTrust.counts: a client that saw a node forget    *)
(*                        waits on its own clock too.  Clients therefore     *)
(*                        disagree on which node counts.  While node clocks  *)
(*                        are right this only makes a client count less,     *)
(*                        which is a reply that never arrives here; with     *)
(*                        NodeClock = FALSE it is all there is               *)
(*                                                                         *)
(* Quarantine is a setting of the deployment, kept on the nodes (U33).       *)
(* Verdicts holds what the client that notices the loss may write: {"on"} or *)
(* {"off"} if all clients agree, both if every client decides for itself     *)
(* (which the nodes refuse), "none" for a node that counts at once and       *)
(* relearns nothing, as quarantine=off once was, "rash" for one that         *)
(* relearns without waiting for what it had voted on.                        *)
(*                                                                         *)
(* Not modelled: renewal, shared mode, lock-delay, revocation (tests on      *)
(* real nodes); tombstones (L1), which only save waiting: here a late vote   *)
(* may always close a node; spans; several buckets under one floor; limit    *)
(* (U27); fsync=always, which is a node that does not forget; nodes with     *)
(* different maxTtl, which refuse each other's clients; notes of clients     *)
(* that wait (L21), which decide nothing; and time altogether.  A renewal    *)
(* that counts a vote cast in quarantine is sound by hand: the grant needed  *)
(* a firm majority, and the record closes that node.                         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Nodes,        \* the independent servers
  Clients,
  Tries,        \* proposals of each client, at most
  MaxProposals, \* proposals of all clients together, at most
  MaxToken,
  MaxForgets,   \* how often nodes lose everything
  Majority,     \* how many counted votes make a grant
  FenceCheck,   \* a node refuses a token that is not above its fence
  FreshIds,     \* every proposal has its own holder id (U8)
  Verdicts,     \* what is decided about a node that forgot: "on", "off", "none", "rash" (U9, U33)
  NodeClock,    \* a node's quarantine is not shorter than it should be
  Witnesses,    \* every client had known a node before it forgot
  Relearn,      \* ... and raises its fence from the others first (U7)
  FirmVotes,    \* ... and a vote it cast before that never counts
  Cold,         \* a majority may forget, and a node then starts by its clock
  ClockAbove    \* ... which is past every token that was granted

None == <<>>
Proposals == Clients \X (1..Tries)
Symmetry == Permutations(Nodes) \cup Permutations(Clients)

VARIABLES
  status,   \* of each proposal: "idle", "open" (sent), "held" (granted, believed), "done"
  token,    \* of each proposal; 0 while idle
  yes,      \* of each open proposal: the nodes whose counted yes may reach the client
  record,   \* of each node: the proposal it voted for, or None
  firm,     \* of each node: whether it counted when it cast that vote
  fence,    \* of each node
  trust,    \* of each node: "counted", "quarantine", "settling" (quarantine=off), "learning"
  before,   \* of each node: the proposals that were under way when it forgot
  knew,     \* of each node: the clients that knew it before it forgot; kept only for a wrong clock
  late,     \* of each open proposal: the nodes whose yes its client counts when its own wait is over
  heard,    \* of each learning node: the other nodes it has read ...
  high,     \* ... and the highest fence found there
  forgets,
  last,     \* the token of the latest grant
  regress   \* whether a grant had a token that was not larger

vars == <<status, token, yes, late, record, firm, fence, trust, before, knew, heard, high, forgets, last, regress>>
nodeVars == <<record, firm, fence, trust, before, knew, heard, high, forgets>>

Max(a, b) == IF a > b THEN a ELSE b
\* What a release compares. U8 dropped: one holder id per client.
Same(p, q) == IF FreshIds THEN p = q ELSE p[1] = q[1]
\* How many nodes may be out at a time: the others still are a true majority.
Spare == (Cardinality(Nodes) - 1) \div 2

\* Nothing is left of what a node has to outwait. A lease that is held is no matter to a deployment without quarantine,
\* a proposal that may still be granted is: its token is in no fence that the node could read (TLC finds that).
Over(n) == \A p \in before[n] : status[p] = "done" \/ (trust[n] = "settling" /\ status[p] = "held")

Init ==
  /\ status = [p \in Proposals |-> "idle"]
  /\ token = [p \in Proposals |-> 0]
  /\ yes = [p \in Proposals |-> {}]
  /\ record = [n \in Nodes |-> None]
  /\ firm = [n \in Nodes |-> FALSE]
  /\ fence = [n \in Nodes |-> 0]
  /\ trust = [n \in Nodes |-> "counted"]
  /\ before = [n \in Nodes |-> {}]
  /\ knew = [n \in Nodes |-> {}]
  /\ late = [p \in Proposals |-> {}]
  /\ heard = [n \in Nodes |-> {}]
  /\ high = [n \in Nodes |-> 0]
  /\ forgets = 0
  /\ last = 0
  /\ regress = FALSE

Propose(c, i, t) ==
  LET p == <<c, i>> IN
  /\ status[p] = "idle"
  /\ Cardinality({q \in Proposals : status[q] # "idle"}) < MaxProposals
  /\ IF i = 1 THEN TRUE ELSE status[<<c, i - 1>>] = "done"
  /\ status' = [status EXCEPT ![p] = "open"]
  /\ token' = [token EXCEPT ![p] = t]
  /\ UNCHANGED <<yes, late, last, regress>> /\ UNCHANGED nodeVars

\* The request of any proposal ever sent, also of one that is over. The reply matters only to a client that
\* still asks. A vote cast by a node that does not count is recorded and never counts, not even when it is
\* repeated after the node has learned: TLC found that the node's fence at the time of that vote was too low.
Vote(n, p) ==
  /\ status[p] # "idle"
  /\ \/ /\ record[n] = p                       \* a repeated vote changes nothing
        /\ UNCHANGED <<record, firm, fence>>
     \/ /\ record[n] = None
        /\ FenceCheck => token[p] > fence[n]
        /\ record' = [record EXCEPT ![n] = p]
        /\ firm' = [firm EXCEPT ![n] = trust[n] = "counted" \/ ~FirmVotes]
        /\ fence' = [fence EXCEPT ![n] = Max(@, token[p])]
  /\ IF status[p] = "open" /\ trust[n] = "counted" /\ firm'[n]
     THEN IF p[1] \in knew[n] /\ ~Over(n)
          THEN late' = [late EXCEPT ![p] = @ \cup {n}] /\ UNCHANGED yes
          ELSE yes' = [yes EXCEPT ![p] = @ \cup {n}] /\ UNCHANGED late
     ELSE UNCHANGED <<yes, late>>
  /\ UNCHANGED <<status, token, trust, before, knew, heard, high, forgets, last, regress>>

Grant(p) ==
  /\ status[p] = "open"
  /\ Cardinality(yes[p] \cup {n \in late[p] : Over(n)}) >= Majority
  /\ status' = [status EXCEPT ![p] = "held"]
  /\ yes' = [yes EXCEPT ![p] = {}]
  /\ late' = [late EXCEPT ![p] = {}]
  /\ regress' = (regress \/ token[p] <= last)
  /\ last' = token[p]
  /\ UNCHANGED token /\ UNCHANGED nodeVars

\* The validity has run out, or the client gives the lock or the proposal up and sends the release to all
\* nodes. Both end the belief; a release may follow an expiry, so both send it.
End(p) ==
  /\ status[p] \in {"open", "held"}
  /\ status' = [status EXCEPT ![p] = "done"]
  /\ yes' = [yes EXCEPT ![p] = {}]
  /\ late' = [late EXCEPT ![p] = {}]
  /\ UNCHANGED <<token, last, regress>> /\ UNCHANGED nodeVars

ReleaseArrives(n, p) ==
  /\ status[p] = "done"
  /\ record[n] # None
  /\ Same(record[n], p)
  /\ record' = [record EXCEPT ![n] = None]
  /\ firm' = [firm EXCEPT ![n] = FALSE]
  /\ UNCHANGED <<status, token, yes, late, fence, trust, before, knew, heard, high, forgets, last, regress>>

NodeExpires(n) ==
  /\ record[n] # None
  /\ status[record[n]] = "done"
  /\ record' = [record EXCEPT ![n] = None]
  /\ firm' = [firm EXCEPT ![n] = FALSE]
  /\ UNCHANGED <<status, token, yes, late, fence, trust, before, knew, heard, high, forgets, last, regress>>

Forget(n, verdict) ==
  /\ forgets < MaxForgets
  /\ Cold \/ Cardinality({m \in Nodes : trust[m] # "counted"} \cup {n}) <= Spare
  /\ forgets' = forgets + 1
  /\ record' = [record EXCEPT ![n] = None]
  /\ firm' = [firm EXCEPT ![n] = FALSE]
  /\ fence' = [fence EXCEPT ![n] = 0]
  /\ trust' = [trust EXCEPT ![n] =
       CASE verdict = "on" -> "quarantine" [] verdict \in {"off", "rash"} -> "settling" [] OTHER -> "counted"]
  /\ before' = [before EXCEPT ![n] =
       CASE verdict = "on" -> {p \in Proposals : status[p] \in {"open", "held"}}
         [] verdict = "off" -> {p \in Proposals : status[p] = "open"}
         [] OTHER -> {}]
  /\ IF NodeClock
     THEN UNCHANGED knew
     ELSE \E those \in (IF Witnesses THEN {Clients} ELSE SUBSET Clients) : knew' = [knew EXCEPT ![n] = those]
  \* What a node that forgets had heard, and what others had heard of it, stays what it was.
  /\ heard' = [heard EXCEPT ![n] = {}]
  /\ high' = [high EXCEPT ![n] = 0]
  /\ UNCHANGED <<status, token, yes, late, last, regress>>

QuarantineEnds(n) ==
  /\ trust[n] \in {"quarantine", "settling"}
  /\ NodeClock => Over(n)
  /\ trust' = [trust EXCEPT ![n] = IF Relearn THEN "learning" ELSE "counted"]
  /\ before' = IF NodeClock THEN [before EXCEPT ![n] = {}] ELSE before
  /\ UNCHANGED <<status, token, yes, late, knew, record, firm, fence, heard, high, forgets, last, regress>>

\* The others are read one after the other.
LearnRead(n, m) ==
  /\ n # m
  /\ trust[n] = "learning" /\ trust[m] = "counted"
  /\ m \notin heard[n]
  /\ knew[n] # Clients \/ Over(n)              \* the client that teaches has waited, or never saw it forget
  /\ heard' = [heard EXCEPT ![n] = @ \cup {m}]
  /\ high' = [high EXCEPT ![n] = Max(@, fence[m])]
  /\ UNCHANGED <<status, token, yes, late, record, firm, fence, trust, before, knew, forgets, last, regress>>

LearnDone(n) ==
  /\ trust[n] = "learning"
  /\ Cardinality(heard[n]) >= Majority
  /\ fence' = [fence EXCEPT ![n] = Max(@, high[n])]
  /\ trust' = [trust EXCEPT ![n] = "counted"]
  /\ heard' = [heard EXCEPT ![n] = {}]
  /\ high' = [high EXCEPT ![n] = 0]
  /\ UNCHANGED <<status, token, yes, late, record, firm, before, knew, forgets, last, regress>>

ColdDone(n) ==
  /\ Cold
  /\ trust[n] = "learning"
  /\ fence' = [fence EXCEPT ![n] = IF ClockAbove THEN Max(@, last) ELSE @]
  /\ trust' = [trust EXCEPT ![n] = "counted"]
  /\ heard' = [heard EXCEPT ![n] = {}]
  /\ high' = [high EXCEPT ![n] = 0]
  /\ UNCHANGED <<status, token, yes, late, record, firm, before, knew, forgets, last, regress>>

Next ==
  \/ \E c \in Clients, i \in 1..Tries, t \in 1..MaxToken : Propose(c, i, t)
  \/ \E p \in Proposals : Grant(p) \/ End(p)
  \/ \E n \in Nodes, p \in Proposals : Vote(n, p) \/ ReleaseArrives(n, p)
  \/ \E n \in Nodes : NodeExpires(n) \/ QuarantineEnds(n) \/ LearnDone(n) \/ ColdDone(n)
  \/ \E n \in Nodes, verdict \in Verdicts : Forget(n, verdict)
  \/ \E n, m \in Nodes : LearnRead(n, m)

Spec == Init /\ [][Next]_vars

(***************************************************************************)
(* What is promised.                                                        *)
(***************************************************************************)
Exclusion == Cardinality({p \in Proposals : status[p] = "held"}) <= 1
TokensIncrease == ~regress
=============================================================================
