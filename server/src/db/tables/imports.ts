import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

/** Figures of an imported record at the old side; and what a token was restricted to. */
export interface ImportFigures {
  name?: string;
  quota?: number;
  used?: number;
  restriction?: { models: string[]; addresses: string[] };
}

export interface ImportsTables {
  /** Databases of other programs that were imported; `source` is the operator's name for one. */
  imports: {
    source: string;
    program: string;
    started_time: number;
    /** 0: the last run was broken off. */
    ended_time: Generated<number>;
    /** When imported users were let in; 0: not yet. */
    final_time: Generated<number>;
    runs: Generated<number>;
    /** Old id of the last log row that was taken over. */
    log_id: Generated<number>;
  };
  /** The record here that a record of an old database became. A run writes it with the record, so a broken one goes on. */
  import_records: {
    source: string;
    kind: string;
    old_id: string;
    /** 0: nothing with an id. */
    new_id: number;
    /** Fingerprints of both sides at the last run, without figures. */
    old_state: string;
    new_state: string;
    /** Figures of the old side at the last run. */
    figures: JsonColumn<ImportFigures>;
    /** Usage that was taken over without its calls. */
    used_quota: Generated<number>;
    /** Usage of the calls that were taken over into the log. */
    logged_quota: Generated<number>;
    /** The last run that found the record. */
    run: number;
  };
}
