# Of several processes one is reported on: which, and why.
mkdir ranks roles
for rank in 0 1 2; do RANK=$rank "$MAKE_TRACE" training "ranks/host-$rank.msgpack.zst"; done
trace-analyzer report ranks | sed -n '/^program/,+2p'
trace-analyzer report --ranks 2 ranks | sed -n '/^program/,+2p'
trace-analyzer report --ranks 1,2 --format json ranks | grep -o '"analysed_[a-z]*": *"*[a-z_0-9]*"*'
RANK=-1 "$MAKE_TRACE" training roles/host-1.msgpack.zst
RANK=-1 "$MAKE_TRACE" small roles/host-2.msgpack.zst
trace-analyzer report roles | sed -n '/^program/,+2p'
trace-analyzer report --format json roles | grep -o '"analysed_[a-z]*": *"*[a-z_0-9]*"*'
