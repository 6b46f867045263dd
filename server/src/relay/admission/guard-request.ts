import { Buffer } from 'node:buffer';
import type { Deps } from '#deps.ts';
import { Guard, type LiveGuardRule, textsOfJson, withTexts as withJsonTexts } from '#guard/guard.ts';
import { askHooks, type HookCall } from '#guard/guard-hook.ts';
import { type Form, withTexts } from '#relay/forms/form.ts';
import { guardRefusal } from '#relay/reply/guard-refusal.ts';
import type { AuthenticatedCaller, CallContext, CallGuard } from '#relay/types/call-types.ts';

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

/** Asks the services of rules about the texts of a call. */
export type HookAsker = Pick<CallGuard, 'ask'>;

export const hookAsker = (
  { deps, requestId, trace }: CallContext,
  { caller, group }: Pick<AuthenticatedCaller, 'caller' | 'group'>,
): HookAsker => ({
  ask: (guard, at, texts) => {
    const call: HookCall = {
      at,
      request_id: requestId,
      model: trace.model,
      user_id: caller.userId,
      token_id: caller.tokenId,
      group: group.symbol,
    };
    return askHooks(deps, guard, texts, call);
  },
});

/** Masks a JSON body, which is undefined where nothing was found. Throws the 400 of a rule that refuses it. */
export async function guardBody(
  asker: HookAsker,
  rules: CallRules,
  body: Buffer,
): Promise<{ guard: CallGuard; masked: { body: Buffer; json: unknown } | undefined }> {
  const guard = new Guard(rules.requests, 'request');
  const text = body.toString('utf8');
  let masked = rules.requests.length > 0 ? await guard.json(text) : text;
  if (guard.hooks.length > 0 && !guard.refusedBy) {
    const checked = await asker.ask(guard, 'request', textsOfJson(masked));
    masked = withJsonTexts(masked, (at) => checked[at]);
  }
  return {
    guard: guardAfter(asker, rules, guard),
    masked: masked === text ? undefined : { body: Buffer.from(masked), json: JSON.parse(masked) },
  };
}

/** The same for the text fields of a form. */
export async function guardForm(
  asker: HookAsker,
  rules: CallRules,
  form: Form,
): Promise<{ guard: CallGuard; form: Form }> {
  const guard = new Guard(rules.requests, 'request');
  const changes = new Map<string, string>();
  for (const { name, filename, kept } of rules.requests.length > 0 ? form.parts : []) {
    if (filename !== undefined || name === 'model') continue;
    const text = kept.toString('utf8');
    const masked = await guard.text(text);
    const [checked = masked] =
      guard.hooks.length > 0 && !guard.refusedBy ? await asker.ask(guard, 'request', [masked]) : [];
    if (checked !== text) changes.set(name, checked);
  }
  return { guard: guardAfter(asker, rules, guard), form: changes.size > 0 ? withTexts(form, changes) : form };
}

function guardAfter({ ask }: HookAsker, { answers }: CallRules, guard: Guard): CallGuard {
  if (guard.refusedBy) throw guardRefusal(guard, 'request');
  return { answers, marks: guard.marks, ask };
}
