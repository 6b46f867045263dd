import type { Buffer } from 'node:buffer';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Json } from '#json.ts';
import type { BodyKind } from '#relay/body/member-names.ts';
import { type BodyIntake, parseObject, readBody } from '#relay/body/read-body.ts';
import type { HttpContext } from '#relay/types/call-types.ts';

interface HeldBody {
  body: Buffer;
  json: Json;
  /** Of the memory that the body takes: release it when the body is no longer needed. */
  claim: BodyClaim;
}

/**
 * Reads the body of a request about objects at a provider, within its user's share of memory; no body is an empty object.
 * Rejects with a 400 for anything else, also for fields that direct a call.
 */
export async function readJsonObject(
  { deps, request }: HttpContext,
  userId: number,
  { kind, whenLarge = () => undefined }: { kind?: BodyKind; whenLarge?: BodyIntake['whenLarge'] } = {},
): Promise<HeldBody> {
  const claim = deps.bodies.claim(userId);
  try {
    const body = await readBody(request, { claim, whenLarge });
    return { body, json: parseObject(body, kind), claim };
  } catch (error) {
    claim.release();
    throw error;
  }
}
