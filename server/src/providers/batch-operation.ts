import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ProviderCall } from './operation.ts';
import type { PolledTask, TaskAnswer, TaskOperation, TaskRequest } from './task-operation.ts';

/** Batches of requests at a vendor: tasks whose charge is settled from their results. */
export interface BatchOperation extends TaskOperation {
  /** Paths whose requests a batch may contain. */
  endpoints: readonly string[];
  /** Path of the content of a file that the vendor keeps. */
  inputPath(fileId: string): string;
  /** The request that stops a batch. Answers until then are delivered and charged. */
  stop(task: PolledTask, call: ProviderCall): TaskRequest;
  /** Whether the answer to `stop` confirms it, for vendors that answer without the batch; absent: the batch is read. */
  stops?(answer: TaskAnswer): boolean;
  /** The batch as callers see it after the answer to `stop`: never that it has ended, which only a poll decides. */
  stopped(batch: unknown): Json;
  /** The results of a batch that has ended; it is reported in `data`. */
  results(batch: Json): BatchDocument[];
  /** Answers that come with the batch itself; absent: all are in documents. */
  inline?(batch: Json): Json[];
  /** The part of an ended batch that is kept; absent: all of it. */
  kept?(batch: Json): Json;
  /** Reads a line of a result. */
  readLine(line: Json, endpoint: string): BatchAnswer;
}

/** A document with one answer per line. */
export interface BatchDocument {
  path: string;
  /** Id of the file, where it is one that the caller may fetch; empty: none. */
  fileId: string;
  /** Name in the caller's list of files. */
  filename: string;
}

export interface BatchAnswer {
  /** The request was answered, not refused. */
  isAnswered: boolean;
  /** Undefined: not reported. */
  usage: Usage | undefined;
}
