"""The kernels: functions of arrays and evidence that give arrays and tables."""
