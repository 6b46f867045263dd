import type { ContentLog } from '#affinity/content-log.ts';
import type { ReplyCache } from '#affinity/reply-cache.ts';
import type { UnwrittenIncident } from './alarms/incidents.ts';
import type { BaseDeps } from './base-deps.ts';
import type { Storage } from './db/open.ts';
import type { BodyMemory } from '#http/limits/body-memory.ts';
import type { Connections } from '#http/limits/connections.ts';
import type { RateLimiter } from '#http/limits/rate-limiter.ts';
import type { Follow } from './http/trail.ts';
import type { AutoSwitcher } from './live/auto-switcher.ts';
import type { CallHour } from './live/hour/call-hour.ts';
import type { HourWatch } from './live/hour/hour-watch.ts';
import type { Live } from './live/live.ts';
import type { UsageWatch } from './live/usage-watch.ts';
import type { ChannelNotices } from './mail/channel-notices.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Meter } from './metrics/meter.ts';
import type { Telemetry } from './metrics/otlp/telemetry.ts';
import type { OutOfFiles } from '#process/out-of-files.ts';
import type { Siblings } from '#process/siblings.ts';
import type { Book } from './quota/book.ts';
import type { PendingSums } from './quota/pending-sums.ts';
import type { Spools } from './relay/forms/spool.ts';
import type { Refusals } from './refusals/refusals.ts';
import type { Upstreams } from '#relay/upstream/upstreams.ts';
import type { Tokenizer } from './usage/tokenizer.ts';
import type { TypicalOutputs } from './usage/typical-outputs.ts';

/** Dependencies of features and the relay. Created once, in `server.ts`. */
export interface Deps extends BaseDeps {
  /** Consistent snapshots, and whether stored data is damaged. */
  storage: Pick<Storage, 'patient' | 'snapshot' | 'damage' | 'shrink'>;
  live: Live;
  autoSwitcher: AutoSwitcher;
  /** Reports implausible and unusual usage to operators. */
  usageWatch: UsageWatch;
  book: Book;
  /** What roll-ups and channels lack, on PostgreSQL. */
  pendingSums: PendingSums;
  meter: Meter;
  /** Exports traces and metrics; undefined: nothing is exported. */
  telemetry: Telemetry | undefined;
  refusals: Refusals;
  /** The calls of the last hour by minute, and the state that the cockpit shows of them. */
  hour: CallHour;
  hourWatch: HourWatch;
  upstreams: Upstreams;
  /** Client connections, and the memory limit of their bodies. */
  connections: Connections;
  bodies: BodyMemory;
  outOfFiles: OutOfFiles;
  /** Disk space for request bodies that are too large for memory. */
  spools: Spools;
  limiter: RateLimiter;
  /** Records actions of administrators in the audit log. */
  follow: Follow;
  mailer: Mailer;
  /** The incident of a database that cannot be written. */
  unwritten: { incident: UnwrittenIncident | undefined };
  /** Shows automatic changes of channels to administrators. */
  notices: ChannelNotices;
  tokenizer: Tokenizer;
  replyCache: ReplyCache;
  /** Requests and replies that are kept by choice. */
  contentLog: ContentLog;
  /** Usual lengths of answers, for reservations of streams. */
  typicalOutputs: TypicalOutputs;
  /** The other workers of this node. */
  siblings: Siblings;
  /** `stopping`: the process drains; it finishes calls while load balancers move on. */
  lifecycle: { stopping: boolean };
  /** Whether jobs run at intervals. Tests that run the rounds themselves leave them out. */
  jobs: boolean;
}
