import { Buffer } from 'node:buffer';
import type { Deps } from '#deps.ts';
import { Guard, type LiveGuardRule } from '#guard/guard.ts';
import { type Form, withTexts } from '#relay/forms/form.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { AuthenticatedCaller, CallGuard } from '#relay/types/call-types.ts';

const noRules: readonly LiveGuardRule[] = [];

/** The guardrails of a call. */
export interface CallRules {
  requests: readonly LiveGuardRule[];
  answers: readonly LiveGuardRule[];
}

/** Undefined: there are none for this caller. */
export function rulesFor(
  { live: { guards } }: Pick<Deps, 'live'>,
  { caller, group }: Pick<AuthenticatedCaller, 'caller' | 'group'>,
): CallRules | undefined {
  const rules = guards.isEmpty ? noRules : guards.for(group.symbol, caller.tokenId);
  if (rules.length === 0) return undefined;
  return { requests: rules.filter(({ requests }) => requests), answers: rules.filter(({ answers }) => answers) };
}

/** Masks a JSON body, which is undefined where nothing was found. Throws the 400 of a rule that refuses it. */
export async function guardBody(
  rules: CallRules,
  body: Buffer,
): Promise<{ guard: CallGuard; masked: { body: Buffer; json: unknown } | undefined }> {
  const guard = new Guard(rules.requests, 'request');
  const text = body.toString('utf8');
  const masked = rules.requests.length > 0 ? await guard.json(text) : text;
  return {
    guard: guardAfter(rules, guard),
    masked: masked === text ? undefined : { body: Buffer.from(masked), json: JSON.parse(masked) },
  };
}

/** The same for the text fields of a form. */
export async function guardForm(rules: CallRules, form: Form): Promise<{ guard: CallGuard; form: Form }> {
  const guard = new Guard(rules.requests, 'request');
  const changes = new Map<string, string>();
  for (const { name, filename, kept } of rules.requests.length > 0 ? form.parts : []) {
    if (filename !== undefined || name === 'model') continue;
    const text = kept.toString('utf8');
    const masked = await guard.text(text);
    if (masked !== text) changes.set(name, masked);
  }
  return { guard: guardAfter(rules, guard), form: changes.size > 0 ? withTexts(form, changes) : form };
}

function guardAfter({ answers }: CallRules, { refusedBy, marks }: Guard): CallGuard {
  if (refusedBy)
    throw new RelayError(
      400,
      `The request holds what the rule '${refusedBy.name}' of this server forbids. Remove it and send the request again.`,
      { type: 'invalid_request_error', code: 'guard_refused' },
    );
  return { answers, marks };
}
