import type { DeliveryWay } from '@relay-hub/contract';

const DAY_MIN = 1440;

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** The moment from which a message may be sent: now, or the end of the quiet hours. Unix seconds. */
export function quietUntil(way: Pick<DeliveryWay, 'quiet_from' | 'quiet_to' | 'quiet_zone'>, now: number): number {
  const { quiet_from: from, quiet_to: to, quiet_zone: zone } = way;
  if (from === '' || to === '' || from === to) return now;
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone || 'UTC',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now * 1000);
  const at = minutesOf(clock);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const isQuiet = start < end ? at >= start && at < end : at >= start || at < end;
  if (!isQuiet) return now;
  return now - (now % 60) + ((end - at + DAY_MIN) % DAY_MIN) * 60;
}
