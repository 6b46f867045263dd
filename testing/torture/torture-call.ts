import { request } from 'node:http';
import { LONG, type PlannedCall } from './torture-plan.ts';

/** A call as seen by its caller. */
export interface CallerSide {
  status: number;
  /** The reply was complete: a whole JSON body, or a stream up to `[DONE]`. */
  whole: boolean;
  left: boolean;
}

/** The limit of every call. */
export const MOST_OUTPUT = 200;

/** A prompt as long as its planned usage says, where its length decides about the price. */
const textOf = ({ n, usage }: PlannedCall): string =>
  `call ${n}${usage.prompt > LONG ? ' word'.repeat(usage.prompt) : ''}`;

/** Makes a planned call and disconnects as planned. Never rejects. */
export function makeCall(url: string, key: string, plan: PlannedCall): Promise<CallerSide> {
  const seen: CallerSide = { status: 0, whole: false, left: false };
  return new Promise((resolve) => {
    let text = '';
    const body = JSON.stringify({
      model: `torture-${plan.n}`,
      messages: [{ role: 'user', content: textOf(plan) }],
      max_tokens: MOST_OUTPUT,
      stream: plan.stream,
      ...plan.order,
    });
    const call = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    const leave = () => {
      seen.left = true;
      call.destroy();
    };
    const timer = plan.leave === 'stays' || plan.leave === 'before_done' ? undefined : setTimeout(leave, plan.leaveMs);
    call.once('close', () => {
      clearTimeout(timer);
      resolve(seen);
    });
    call.on('error', () => {});
    call.once('response', (response) => {
      seen.status = response.statusCode ?? 0;
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (plan.leave === 'before_done' && /"finish_reason":"\w/.test(text)) leave();
      });
      response.on('error', () => {});
      response.once('end', () => {
        seen.whole = seen.status === 200 && (plan.stream ? text.endsWith('data: [DONE]\n\n') : isJson(text));
      });
    });
    call.end(plan.refused === '' ? body : `${body.slice(0, -1)},${plan.refused}}`);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
