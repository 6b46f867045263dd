import type { FaultCause } from '@relay-hub/contract';
import { isInRequest } from '#live/is-in-request.ts';
import type { UpstreamError } from '#providers/provider.ts';
import type { RefusalCause } from '#relay/types/call-types.ts';

export interface RefusalContext {
  /** False: not the API answered but, for example, a web server. */
  isJson: boolean;
  upstreamModel: string;
  /** The body sent; a refusal that quotes it concerns the caller. */
  requestBody: Buffer | undefined;
}

const sure = (cause: FaultCause): RefusalCause => ({ cause, unclear: false });
const unclear = (cause: FaultCause): RefusalCause => ({ cause, unclear: true });

/**
 * Finds the cause of a refusal. 403 and 404 can be either side's fault, and insufficient funds come with any status, so
 * the vendor's text decides.
 */
export function causeOfRefusal(error: UpstreamError, about: RefusalContext): RefusalCause {
  const { status } = error;
  if (isOutOfMoney(error, about.requestBody)) return sure('billing');
  if (status === 401 || status === 407) return sure('key');
  if (status === 402) return sure('billing');
  if (status === 403) return causeOf403(error, about);
  if (status === 404) return causeOf404(error, about);
  if (status === 408) return unclear('timeout');
  if (status === 429) return unclear('rate');
  if (isAboutContent(error)) return sure('content');
  if (status >= 500 || status < 300) return unclear('server');
  return status < 400 ? unclear('route') : sure('request');
}

const outOfMoneyNames = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'insufficient_balance',
  'insufficient_credits',
  'billing_not_active',
  'billing_error',
  'billing_hard_limit_reached',
  'account_deactivated',
  'account_overdue',
  'credit_balance_too_low',
  'exceeded_current_quota_error',
  'payment_required',
  'arrearage',
]);
const outOfMoneyWords =
  /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)|out of credits|billing hard limit|account is not active|billing (?:is )?not active|organization has been disabled|account has been (?:blocked|suspended|deactivated|disabled)|余额不足|餘額不足|欠费|额度不足/i;

function isOutOfMoney({ code, type, message, status }: UpstreamError, sentBody: Buffer | undefined): boolean {
  // Alibaba's term for a per-minute limit.
  if (status === 429 && /allocated quota|allocation quota/i.test(message)) return false;
  if ([code, type].some((name) => name !== undefined && outOfMoneyNames.has(name.toLowerCase()))) return true;
  const phrase = outOfMoneyWords.exec(message)?.[0];
  return phrase !== undefined && !isInRequest(sentBody, phrase);
}

const contentNames =
  /content_?(?:filter|policy|management)|moderation|responsible_?ai|data_?inspection|safety|sensitive|prohibited_content/i;
const contentWords =
  /\bmoderation\b|\bflagged\b|content[ _-]?(?:filter|policy|management|moderation)|responsible ai|safety (?:system|policy|filter|reasons)|inappropriate content|sensitive (?:content|words?)|data may contain/i;

/** Whether the content of the prompt or of the reply was refused. */
function isAboutContent({ code = '', type = '', param = '', message }: UpstreamError): boolean {
  return contentNames.test(code) || contentNames.test(type) || contentNames.test(param) || contentWords.test(message);
}

const keyNames = /auth|api_?key|permission|forbidden|country|region|territory|account|access_?denied|credential/i;
const keyWords =
  /\b(?:api[ -]?key|key|credentials?|account|organi[sz]ation|project|subscription|country|region|territory|location|ip address|permissions?|access|suspended|deactivated|disabled)\b/i;
const suspension = /\b(?:suspended|deactivated|terminated|banned)\b/i;

function causeOf403(error: UpstreamError, about: RefusalContext): RefusalCause {
  const { code = '', type = '', message } = error;
  if (!about.isJson) return unclear('broken');
  if (isAboutContent(error) && !suspension.test(message)) return sure('content');
  if (namesRequestedThing(message, about)) return sure('request');
  if (keyNames.test(code) || keyNames.test(type) || keyWords.test(message)) return sure('key');
  return unclear('key');
}

const routeNames = /model|deployment|endpoint|route|url|engine/i;
const routeWords = /\b(?:models?|deployments?|endpoints?|routes?|urls?|paths?|publishers?|engines?)\b/i;
/** Default texts of web frameworks for unknown paths. */
const noPath = /^(?:http status 404|404|error|(?:404[: -]*)?(?:page |resource )?not[ _]found)\W*$/i;
const objectWords =
  /\bno such\b|\bwith id\b|\b(?:file|item|response|conversation|batch|thread|voice|object|container)\b/i;

function causeOf404({ code = '', type = '', message }: UpstreamError, about: RefusalContext): RefusalCause {
  const { upstreamModel, isJson } = about;
  if (!isJson || routeNames.test(code) || routeNames.test(type) || noPath.test(message.trim())) return sure('route');
  if (upstreamModel !== '' && message.includes(upstreamModel)) return sure('route');
  // Quoted text may come from the caller.
  const unquoted = message.replace(/'[^']*'|"[^"]*"|`[^`]*`/g, ' ');
  if (namesRequestedThing(message, about)) return sure('request');
  if (routeWords.test(unquoted)) return sure('route');
  return objectWords.test(unquoted) ? sure('request') : unclear('route');
}

const MAX_NAMES = 20;

/** Whether the text names something of the request other than the model, such as a file id. */
function namesRequestedThing(message: string, { requestBody: sentBody, upstreamModel }: RefusalContext): boolean {
  if (sentBody === undefined) return false;
  return (message.match(/[\w./:-]{6,}/g) ?? [])
    .slice(0, MAX_NAMES)
    .map((name) => name.replace(/[.:/-]+$/, ''))
    .some((name) => /[\d_]/.test(name) && !isModel(name, upstreamModel) && sentBody.includes(name));
}

const isModel = (name: string, model: string): boolean =>
  model !== '' && (name.includes(model) || model.includes(name));
