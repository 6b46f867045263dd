/** The list's state in the address; filters have their names in the API. */
export interface AuditSearch {
  page: number;
  size: number;
  /** Always newest first; required by the table. */
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  actor: string;
  kind: string;
  object_id: string;
  /** The team whose account was changed; 0: all. */
  account_id: number;
  keyword: string;
  /** 1: done; 2: refused. */
  result: number;
  /** Cursor returned with another page, where this one starts or ends; 0: found by its number. */
  after: number;
  before: number;
  id: number;
}

export const noAuditFilters = { time: '', actor: '', kind: '', object_id: '', account_id: 0, keyword: '', result: 0 };
export type AuditFilters = typeof noAuditFilters;

export const noCursors = { after: 0, before: 0 };

export const auditDefaults: AuditSearch = { page: 1, size: 30, order: '', ...noAuditFilters, ...noCursors, id: 0 };
