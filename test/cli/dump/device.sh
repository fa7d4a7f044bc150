trace-analyzer dump --kind device_kernel --kind device_copy --kind sync --kind sample --kind lost "$TRACES/device.msgpack.zst"
