/**
 * Every answer under /api has this shape. A refusal carries the matching HTTP status as well, the machine-readable
 * `code`, and `field` when one input is to blame. `data` is absent when there is nothing to return. `warnings` names
 * what the request carried and the server did not follow.
 */
export type Envelope<T> =
  | { success: true; message: string; data?: T; warnings?: Warning[] }
  | { success: false; message: string; code?: string; field?: string };

/** A field of the request that was ignored, because the operation does not take it. */
export interface Warning {
  /** As in `field` of a refusal, such as `qouta` or `prices.0.note`. */
  field: string;
  message: string;
}
