import { sumOfHours, type ChannelHealth } from '@relay-hub/contract';
import type { HealthBar } from '#shared/health-strip.tsx';
import { formatTimeOfDay } from '#shared/time.ts';

const hourSeconds = 3600;

/** All channels together, hour by hour; `now` in seconds. */
export function allHours(health: readonly ChannelHealth[], now: number): HealthBar[] {
  const count = health[0]?.hours.length ?? 24;
  const newest = now - (now % hourSeconds);
  return Array.from({ length: count }, (_, index) => {
    const hour = sumOfHours(health.flatMap(({ hours }) => hours[index] ?? []));
    return { ...hour, time: formatTimeOfDay(newest - (count - 1 - index) * hourSeconds).slice(0, 5) };
  });
}
