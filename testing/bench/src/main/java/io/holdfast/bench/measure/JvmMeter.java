package io.holdfast.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM uses of the machine. */
public final class JvmMeter {
    private JvmMeter() {}

    /** The heap in use after collections; several, because references of references go in steps. */
    public static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Processor time of the whole process, garbage collection and compilation included. */
    public static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
