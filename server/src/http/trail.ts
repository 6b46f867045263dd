import type { DeclaredEndpoint } from '@relay-hub/contract/registry';
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '#http/session/session.ts';

/** Follows one call for the audit log. */
export interface Trail {
  /** Says who calls, before it is known whether they may. */
  by(viewer: Viewer): void;
  /** Does the work of the call, whose input is in order. */
  around<T>(input: { params?: unknown; query?: unknown; body?: unknown }, work: () => Promise<T>): Promise<T>;
  done(answer: unknown): Promise<void>;
  failed(error: unknown): Promise<void>;
}

/** What follows a call; undefined where it does not go into the audit log. */
export type Follow = (endpoint: DeclaredEndpoint, request: FastifyRequest) => Trail | undefined;
