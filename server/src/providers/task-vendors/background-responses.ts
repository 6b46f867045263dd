/** Responses that OpenAI makes in the background. https://platform.openai.com/docs/guides/background */
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import { openAiResponses } from '#usage/open-ai-responses.ts';
import type { TaskOperation, TaskReport } from '../task-operation.ts';

const DEADLINE_S = 86_400;

/** Only polled: calls submit them. `path`: that of responses. */
export const backgroundResponses = (path: string): TaskOperation => ({
  dialect: 'responses',
  path,
  usage: openAiResponses,
  platforms: ['response'],
  deadlineS: DEADLINE_S,
  batch: 1,
  submit: () => ({ method: 'POST', path }),
  receipt: () => undefined,
  poll: ([task]) => ({ method: 'GET', path: `${path}/${encodeURIComponent(task?.upstreamId ?? '')}` }),
  reports({ status, json }, [task]) {
    if (status === 404) return [];
    return status === 200 && isObject(json) && task ? [reportOf(json, task.upstreamId)] : undefined;
  },
});

/** Only what the charge needs: the response belongs to its caller. */
function reportOf(response: Json, upstreamId: string): TaskReport {
  const { status, usage, output, error } = response;
  const data = { usage, served: openAiResponses.served?.(response), bytes: JSON.stringify(output ?? []).length };
  const report = { upstreamId, hasResult: true } as const;
  if (status === 'completed' || status === 'incomplete') return { ...report, status: 'SUCCESS', data };
  if (status === 'cancelled') return { ...report, status: 'CANCEL', data };
  if (status !== 'failed') return { ...report, status: status === 'queued' ? 'QUEUED' : 'IN_PROGRESS' };
  // A failure that was counted is charged.
  if (isObject(usage)) return { ...report, status: 'SUCCESS', data };
  return { ...report, status: 'FAILURE', failReason: textOr(objectOr(error)['message'], '') };
}
