import { logType } from '@relay-hub/contract';

/** The list's state in the address; filters have their names in the API. */
export interface LogSearch {
  page: number;
  size: number;
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  log_type: number;
  model_name: string;
  token_id: number;
  /** Of any token that had the name at the time of the call. */
  token_name: string;
  /** Member of the team, and cost centre, whose tokens made the call; for owners of the tokens. */
  member_id: number;
  tag: string;
  request_id: string;
  username: string;
  source_ip: string;
  channel_id: number;
  /** For refused calls: error code or reason, and HTTP status. */
  code: string;
  status: number;
  /** 1: only failed calls. */
  failed: number;
  /** 1: only calls that cost more than their charge; for administrators. */
  losing: number;
  /** 1: only streams; 2: only complete replies. */
  stream: number;
  /** Cursor returned with another page, where this one starts or ends; empty: found by its number. */
  after: string;
  before: string;
  id: number;
}

export const noLogFilters = {
  time: '',
  log_type: logType.all as number,
  model_name: '',
  token_id: 0,
  token_name: '',
  member_id: 0,
  tag: '',
  request_id: '',
  username: '',
  source_ip: '',
  channel_id: 0,
  code: '',
  status: 0,
  failed: 0,
  losing: 0,
  stream: 0,
};
export type LogFilters = typeof noLogFilters;
export type LogFilterName = keyof LogFilters;

/** A page that is found by its number. */
export const noCursors = { after: '', before: '' };

export const logDefaults: LogSearch = {
  page: 1,
  size: 30,
  order: '-created_at',
  ...noLogFilters,
  ...noCursors,
  id: 0,
};
