# a name that ends in .gz is written compressed; a full disk is told
trace-analyzer export -q "$TRACES/training.msgpack.zst" >plain.json
trace-analyzer export -q -o packed.json.gz "$TRACES/training.msgpack.zst"
gzip -dc packed.json.gz | cmp - plain.json && echo same
[ "$(stat -c %s packed.json.gz)" -lt $(($(stat -c %s plain.json) / 4)) ] && echo small
ln -s /dev/full full.gz
trace-analyzer export -q -o full.gz "$TRACES/training.msgpack.zst" 2>error
echo $? "$(cat error)"
trace-analyzer export -q --format perfetto -o /dev/full "$TRACES/training.msgpack.zst" 2>error
echo $? "$(cat error)"
