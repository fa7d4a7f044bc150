for how in full short mangled; do
	trace-analyzer dump --kind device_kernel --names $how "$TRACES/device.msgpack.zst" 2>/dev/null | grep -o "kernel=.* stream"
done
