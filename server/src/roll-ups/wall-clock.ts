import { hourOf, HOUR_S } from './usage-scope.ts';

const DAY_MS = 86_400_000;

/**
 * Clock and calendar of a time zone. Roll-ups have whole hours (UTC), so in zones with a half-hour offset a day begins
 * with the hour that contains its midnight. Times are Unix seconds.
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

  /** The clock of the server's time zone. */
  static ofServer(): WallClock {
    return WallClock.of(new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? new WallClock('UTC');
  }

  /** The clock of a time zone by IANA name; undefined for an unknown name. */
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

  /** First whole hour of the day `daysLater` days after the day of `time`. */
  dayOf(time: number, daysLater = 0): number {
    return hourOf(this.#time(midnight(this.#wall(hourOf(time) + HOUR_S - 1)) + daysLater * DAY_MS));
  }

  /** First whole hour of the next day. */
  dayEnd(hour: number): number {
    return this.dayOf(hour, 1);
  }

  /** First whole hour of the next month. */
  monthEnd(hour: number): number {
    const date = new Date(this.#wall(hour + HOUR_S - 1));
    return hourOf(this.#time(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)));
  }

  /** First whole hour of a date, `YYYY-MM-DD`. */
  startOf(date: string): number {
    return hourOf(this.#time(Date.parse(`${date}T00:00:00Z`)));
  }

  /** Whole hour at the same time of day, `days` days earlier. */
  daysBefore(hour: number, days: number): number {
    return hourOf(this.#time(this.#wall(hour) - days * DAY_MS));
  }

  /** Minutes by which a day that begins with a whole hour begins before its midnight; 0 where offsets are whole hours. */
  earlyMinutes(dayStart: number): number {
    return (60 - new Date(this.#wall(dayStart)).getUTCMinutes()) % 60;
  }

  /** `YYYY-MM-DD` of the day that contains a whole hour. */
  dateOf(hour: number): string {
    return new Date(this.#wall(hour + HOUR_S - 1)).toISOString().slice(0, 10);
  }

  /** `YYYY-MM-DD HH:MM` at a time. */
  minuteOf(time: number): string {
    return new Date(this.#wall(time)).toISOString().slice(0, 16).replace('T', ' ');
  }

  /** Local time in milliseconds, as if it were UTC. */
  #wall(time: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(time * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** First moment at which the clock shows a local time. If the clock skips it, the next minute that exists. */
  #time(wallMs: number): number {
    const candidates = [wallMs - DAY_MS, wallMs + DAY_MS]
      .map((near) => (wallMs - (this.#wall(near / 1000) - near)) / 1000)
      .toSorted((a, b) => a - b);
    const [first = 0, second = 0] = candidates; // one per offset
    return this.#wall(first) === wallMs ? first : this.#wall(second) === wallMs ? second : Math.max(first, second);
  }
}

const midnight = (wallMs: number) => wallMs - (((wallMs % DAY_MS) + DAY_MS) % DAY_MS);

const clocks = new Map<string, WallClock>();
/** Zone names are case-insensitive, so a client could send many spellings; this limits the cache. */
const MOST_CLOCKS = 100;
