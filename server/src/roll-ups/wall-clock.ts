import { hourOf, HOUR_S } from './usage-scope.ts';

const DAY_MS = 86_400_000;

/**
 * The clock and the calendar of a time zone. Roll-ups know whole hours (UTC), so in zones that are half an hour apart a
 * day begins with the hour that its midnight is in. Times are Unix seconds.
 */
export class WallClock {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  private constructor(zone: string) {
    this.zone = zone;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The clock of the server's own zone. */
  static ofServer(): WallClock {
    return WallClock.of(new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? new WallClock('UTC');
  }

  /** The clock of a zone by its IANA name; undefined: there is no such zone. */
  static of(name: string): WallClock | undefined {
    let clock = clocks.get(name);
    if (clock) return clock;
    try {
      clock = new WallClock(name);
    } catch {
      return undefined;
    }
    if (clocks.size < MOST_CLOCKS) clocks.set(name, clock);
    return clock;
  }

  /** The whole hour that a day begins with, so many days after the day that the hour of `time` belongs to. */
  dayOf(time: number, daysLater = 0): number {
    return hourOf(this.#time(midnight(this.#wall(hourOf(time) + HOUR_S - 1)) + daysLater * DAY_MS));
  }

  /** The whole hour that the day after the one of a whole hour begins with. */
  dayEnd(hour: number): number {
    return this.dayOf(hour, 1);
  }

  /** The whole hour that the month after the one of a whole hour begins with. */
  monthEnd(hour: number): number {
    const date = new Date(this.#wall(hour + HOUR_S - 1));
    return hourOf(this.#time(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)));
  }

  /** The whole hour that a date begins with, given as `YYYY-MM-DD`. */
  startOf(date: string): number {
    return hourOf(this.#time(Date.parse(`${date}T00:00:00Z`)));
  }

  /** The whole hour at the same time of the day, so many days before. */
  daysBefore(hour: number, days: number): number {
    return hourOf(this.#time(this.#wall(hour) - days * DAY_MS));
  }

  /** `YYYY-MM-DD` of the day that a whole hour belongs to. */
  dateOf(hour: number): string {
    return new Date(this.#wall(hour + HOUR_S - 1)).toISOString().slice(0, 10);
  }

  /** `YYYY-MM-DD HH:MM` at that time. */
  minuteOf(time: number): string {
    return new Date(this.#wall(time)).toISOString().slice(0, 16).replace('T', ' ');
  }

  /** What the clock shows, in milliseconds as if it were UTC. */
  #wall(time: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(time * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** When the clock first shows that; where it skips it, when it shows the next minute that there is. */
  #time(wallMs: number): number {
    const candidates = [wallMs - DAY_MS, wallMs + DAY_MS]
      .map((near) => (wallMs - (this.#wall(near / 1000) - near)) / 1000)
      .toSorted((a, b) => a - b);
    const [first = 0, second = 0] = candidates; // one for each day
    return this.#wall(first) === wallMs ? first : this.#wall(second) === wallMs ? second : Math.max(first, second);
  }
}

const midnight = (wallMs: number) => wallMs - (((wallMs % DAY_MS) + DAY_MS) % DAY_MS);

const clocks = new Map<string, WallClock>();
/** Names of a zone are written in upper and lower case; nobody may fill the memory with them. */
const MOST_CLOCKS = 100;
