import { channelFailures, type ChannelHealth } from '@relay-hub/contract';
import type { HealthBar } from '#domain/channel/health-strip.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';

const hourSeconds = 3600;

type Hour = ChannelHealth['hours'][number];

/** The sum of all channels for each hour; `now` in seconds. */
export function hourlyHealth(health: readonly ChannelHealth[], now: number): HealthBar[] {
  const count = health[0]?.hours.length ?? 24;
  const newest = now - (now % hourSeconds);
  return Array.from({ length: count }, (_, index) => ({
    ...sumOf(health.flatMap(({ hours }) => hours[index] ?? [])),
    time: formatTimeOfDay(newest - (count - 1 - index) * hourSeconds).slice(0, 5),
  }));
}

function sumOf(hours: readonly Hour[]): Hour {
  const sum: Hour = { requests: 0, failures: 0 };
  for (const { requests, failures, reasons } of hours) {
    sum.requests += requests;
    sum.failures += failures;
    for (const reason of channelFailures) {
      const times = reasons?.[reason];
      if (times) (sum.reasons ??= {})[reason] = (sum.reasons[reason] ?? 0) + times;
    }
  }
  return sum;
}
