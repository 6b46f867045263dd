/** The list's state as it stands in the address; filters go by the names that the API gives them. */
export interface AuditSearch {
  page: number;
  size: number;
  /** Always newest first; the table wants one. */
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  actor: string;
  kind: string;
  object_id: string;
  keyword: string;
  /** 1: what was done; 2: what was refused. */
  result: number;
  /** Where the page begins or ends, as another page told it; 0: found by its number. */
  after: number;
  before: number;
  /** The entry whose detail is open. */
  id: number;
}

export const noAuditFilters = { time: '', actor: '', kind: '', object_id: '', keyword: '', result: 0 };
export type AuditFilters = typeof noAuditFilters;

export const byNumber = { after: 0, before: 0 };

export const auditDefaults: AuditSearch = { page: 1, size: 30, order: '', ...noAuditFilters, ...byNumber, id: 0 };
