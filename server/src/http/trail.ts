import type { DeclaredEndpoint } from '@relay-hub/contract/registry';
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '#http/session/session.ts';

/** Records one call for the audit log. */
export interface Trail {
  /** Sets the caller, before it is known whether the call is allowed. */
  by(viewer: Viewer): void;
  /** Runs the handler of the call with its valid input. */
  around<T>(input: { params?: unknown; query?: unknown; body?: unknown }, work: () => Promise<T>): Promise<T>;
  done(answer: unknown): Promise<void>;
  failed(error: unknown): Promise<void>;
}

/** Starts the record of a call; undefined for calls that are not audited. */
export type Follow = (endpoint: DeclaredEndpoint, request: FastifyRequest) => Trail | undefined;
