import type { BaseDeps } from './base-deps.ts';
import type { Storage } from './db/open.ts';
import type { BodyMemory } from '#http/limits/body-memory.ts';
import type { Connections } from '#http/limits/connections.ts';
import type { RateLimiter } from '#http/limits/rate-limiter.ts';
import type { Follow } from './http/trail.ts';
import type { AutoSwitcher } from './live/auto-switcher.ts';
import type { Live } from './live/live.ts';
import type { UsageWatch } from './live/usage-watch.ts';
import type { ChannelNotices } from './mail/channel-notices.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Meter } from './metrics/meter.ts';
import type { OutOfFiles } from '#process/out-of-files.ts';
import type { Book } from './quota/book.ts';
import type { Spools } from './relay/forms/spool.ts';
import type { Refusals } from './refusals/refusals.ts';
import type { Upstreams } from '#relay/upstream/upstreams.ts';
import type { Tokenizer } from './usage/tokenizer.ts';

/** What features and the relay may use. Made once, in `server.ts`. */
export interface Deps extends BaseDeps {
  /** For reading everything as it stands at one moment, and whether what is stored is damaged. */
  storage: Pick<Storage, 'snapshot' | 'damage'>;
  live: Live;
  autoSwitcher: AutoSwitcher;
  /** Tells operators of usage that cannot be, or is far from what was visible. */
  usageWatch: UsageWatch;
  book: Book;
  meter: Meter;
  refusals: Refusals;
  upstreams: Upstreams;
  /** The connections of callers, and how much of what they send and are sent may be in memory. */
  connections: Connections;
  bodies: BodyMemory;
  outOfFiles: OutOfFiles;
  /** For what callers send that is too large for memory. */
  spools: Spools;
  limiter: RateLimiter;
  /** Follows what administrators do, for the audit log. */
  follow: Follow;
  mailer: Mailer;
  /** Mails what becomes of channels by itself. */
  notices: ChannelNotices;
  tokenizer: Tokenizer;
  /** Set while the process drains: it still finishes calls, and takes no new ones from a load balancer. */
  lifecycle: { stopping: boolean };
}
