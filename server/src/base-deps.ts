import type { Logger } from 'pino';
import type { Kysely } from 'kysely';
import type { Config } from './config.ts';
import type { Tables } from './db/tables.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** The part of `Deps` that code below the features takes; it knows neither calls nor channels. */
export interface BaseDeps {
  config: Config;
  db: Kysely<Tables>;
  log: Logger;
  secrets: Secrets;
  /** The settings in force; read them at each use, they are replaced on a change. */
  live: { readonly settings: Settings };
  /** Identifies this process in leases, journals and heartbeats. */
  nodeId: string;
  startedTime: number;
  /** Unix seconds. */
  now(): number;
}
