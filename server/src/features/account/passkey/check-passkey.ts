import type { passkeyAnswer } from '@relay-hub/contract';
import type { verifyAuthenticationResponse as Verify } from '@simplewebauthn/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { keepChallenge, type Purpose, takeChallenge } from './passkey-challenge.ts';
import { knownPasskeys } from './passkey-queries.ts';
import { relyingParty } from './relying-party.ts';
import { webAuthn } from './web-authn.ts';

type AssertionPurpose = Exclude<Purpose, 'add'>;

/** Options for `navigator.credentials.get`: one account's passkeys, or, to sign in, any passkey for this site. */
export async function askForPasskey(
  { purpose, userId }: { purpose: AssertionPurpose; userId?: number },
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
) {
  const site = relyingParty(request, deps);
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    userVerification: 'required',
    ...(userId !== undefined && { allowCredentials: await knownPasskeys(deps.db, userId, site.id) }),
  });
  await keepChallenge({ purpose, challenge: options.challenge }, request, reply, deps);
  return options;
}

/** The account whose passkey has signed this browser's challenge. Throws `passkey.failed`. */
export async function checkPasskey(
  purpose: AssertionPurpose,
  response: z.output<typeof passkeyAnswer>,
  request: FastifyRequest,
  deps: Deps,
): Promise<number> {
  const { db, now, log } = deps;
  const site = relyingParty(request, deps);
  const expectedChallenge = await takeChallenge(purpose, request, deps);
  const found = await db.selectFrom('passkeys').where('credential_id', '=', response.id).selectAll().executeTakeFirst();
  ensure(found, 'passkey.failed');
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as Parameters<typeof Verify>[0]['response'], // the contract has validated the shape
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    credential: {
      id: found.credential_id,
      publicKey: new Uint8Array(Buffer.from(found.public_key, 'base64url')),
      counter: found.counter,
    },
  }).catch((error: Error) => {
    log.info({ user: found.user_id, err: error.message }, 'passkey was refused');
    throw new AppError('passkey.failed');
  });
  ensure(verified, 'passkey.failed');
  await db
    .updateTable('passkeys')
    .set({
      counter: authenticationInfo.newCounter,
      synced: authenticationInfo.credentialBackedUp,
      used_time: now(),
    })
    .where('id', '=', found.id)
    .execute();
  return found.user_id;
}
