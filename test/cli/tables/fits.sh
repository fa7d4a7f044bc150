# at most 80 columns, whatever the names
for kind in tables training hostile device small; do
	trace-analyzer report -q --tables --names full "$TRACES/$kind.msgpack.zst" 2>/dev/null |
		sed '1,/^\(no tables\|GPU act\)/d; /^trace:/,$d' >$kind
	widest=$(wc -L <$kind)
	echo "$kind $(($(wc -l <$kind) > 5)) $((widest > 40 && widest <= 80))"
done
