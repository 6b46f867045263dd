import * as z from 'zod/mini';
import { jobNames, systemQueues } from '../codes.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { seconds } from '../values.ts';

const job = z.object({
  name: z.enum(jobNames),
  /** End of the last round. */
  ran_time: seconds,
  /** Duration of the last round in milliseconds. */
  took: z.int(),
  /** Rounds that failed since the last one that did not. */
  failures: z.int(),
  /** Of the last round; empty: it did not fail. */
  error: z.string(),
});
export type Job = z.infer<typeof job>;

/** State of a node. Sizes are bytes. */
export const nodeState = z.object({
  version: z.string(),
  node_version: z.string(),
  /** When it was measured. */
  time: seconds,
  memory: z.int(),
  /** 99th percentile of the delay of the main thread since the last report, in milliseconds. */
  delay: z.number(),
  /** CPU time per time since the last report; 1: one core was busy. */
  cpu: z.number(),
  open_calls: z.int(),
  /** Settlements that wait for the database, and for how many seconds. */
  waiting: z.int(),
  late: z.int(),
  /** Settlements that the database refused; they are kept in a file. */
  refused: z.int(),
  journal: z.int(),
  /** Of the data folder. */
  disk_free: z.int(),
  disk_size: z.int(),
  redis: z.enum(['none', 'ready', 'away']),
  jobs: z.array(job),
  /** Export of spans and metric points; left out: nothing is exported, or an older version. */
  telemetry: z.optional(
    z.array(
      z.object({
        signal: z.enum(['traces', 'metrics']),
        exported: z.int(),
        dropped: z.int(),
        /** Of the last export; 0: none yet. */
        exported_time: seconds,
        /** Of the last export; empty: it did not fail. */
        error: z.string(),
      }),
    ),
  ),
});
export type NodeState = z.infer<typeof nodeState>;

const node = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  started_time: seconds,
  /** Last sign of life, by the clock of the database. */
  seen_time: seconds,
  /** Answers this request. */
  is_this: z.boolean(),
  /** Null: of an older version, or just started. */
  state: z.nullable(nodeState),
});
export type SystemNode = z.infer<typeof node>;

export const system = z.object({
  version: z.string(),
  /** By the clock of the database. */
  time: seconds,
  database: z.object({
    kind: z.enum(['sqlite', 'postgresql']),
    version: z.string(),
    /** Size in bytes, SQLite: with its write-ahead log. */
    bytes: z.int(),
    /** Connections to it and how many it allows; SQLite: 0. */
    connections: z.int(),
    connections_limit: z.int(),
    /** Duration of a simple query in milliseconds. */
    latency: z.number(),
    /** Largest first. SQLite does not report sizes of tables, so there are none. */
    tables: z.array(z.object({ name: z.string(), bytes: z.int() })),
  }),
  nodes: z.array(node),
  /** Null: all nodes are of one version, and no step of the database waits. */
  upgrade: z.nullable(
    z.object({
      /** Versions of the nodes and how many have each, newest first; empty: one that did not report it. */
      versions: z.array(z.object({ version: z.string(), nodes: z.int() })),
      /** Steps that run when no node of an older version is running, as far as this node knows them. */
      waiting: z.array(z.string()),
    }),
  ),
  /** Work that waits. */
  queues: z.record(z.enum(systemQueues), z.int()),
});
export type System = z.infer<typeof system>;

export const systemSchemas = {
  get: {
    audience: 'admin',
    summary: 'Get nodes, database, queues and jobs of the site; nodes report every 15 seconds',
    reply: system,
  },
} as const satisfies SchemasByEndpoint;
