# LD_PRELOAD cannot hold every path: then trace-run is the way
mkdir 'a b'; cp "$ANALYZER" "$(dirname "$ANALYZER")/libtrace.so" 'a b'
'a b/trace-analyzer' doctor | head -n 3 | sed "s|$PWD|W|"
