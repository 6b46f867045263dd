import type { newPasskey, Passkey } from '@relay-hub/contract';
import type { verifyRegistrationResponse as Verify } from '@simplewebauthn/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { uniqueClash } from '#db/unique-clash.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import type { Viewer } from '#http/session/session.ts';
import { keepChallenge, takeChallenge } from './passkey-challenge.ts';
import { knownPasskeys, listPasskeys } from './passkey-queries.ts';
import { relyingParty } from './relying-party.ts';
import { webAuthn } from './web-authn.ts';

const MOST = 20;

/** Options for `navigator.credentials.create`. Throws `passkey.too_many`, `passkey.address`, `passkey.elsewhere`. */
export async function beginPasskey(viewer: Viewer, request: FastifyRequest, reply: FastifyReply, deps: Deps) {
  const site = relyingParty(request, deps);
  ensure((await listPasskeys(deps.db, viewer.id)).length < MOST, 'passkey.too_many', { limit: MOST });
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userID: new TextEncoder().encode(String(viewer.id)),
    userName: viewer.username,
    userDisplayName: viewer.username,
    attestationType: 'none',
    // Prevents a second passkey of this account on the same device.
    excludeCredentials: await knownPasskeys(deps.db, viewer.id, site.id),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge({ purpose: 'add', challenge: options.challenge }, request, reply, deps);
  return options;
}

/**
 * Stores a passkey that the browser has created. Throws `passkey.failed`, `passkey.known`, and the errors of
 * `beginPasskey`.
 */
export async function addPasskey(
  viewer: Viewer,
  { name, made }: z.output<typeof newPasskey>,
  request: FastifyRequest,
  deps: Deps,
): Promise<Passkey> {
  const { db, now, log } = deps;
  const site = relyingParty(request, deps);
  const expectedChallenge = await takeChallenge('add', request, deps);
  const { verifyRegistrationResponse } = await webAuthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: made as Parameters<typeof Verify>[0]['response'], // the contract has validated the shape
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch((error: Error) => {
    log.info({ user: viewer.id, err: error.message }, 'passkey was refused');
    throw new AppError('passkey.failed');
  });
  ensure(registrationInfo, 'passkey.failed');
  const { credential, credentialBackedUp: synced } = registrationInfo;
  const row = {
    user_id: viewer.id,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (made.response.transports ?? []).filter((each) => /^[\w-]+$/.test(each)).join(','),
    name,
    host: site.id,
    synced,
    created_time: now(),
  };
  try {
    const added = await db.insertInto('passkeys').values(row).returning('id').executeTakeFirstOrThrow();
    return { id: added.id, name, created_time: row.created_time, used_time: 0, synced, host: site.id };
  } catch (error) {
    if (uniqueClash(error)) throw new AppError('passkey.known');
    throw error;
  }
}
