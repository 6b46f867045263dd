import type { Deps } from '#deps.ts';
import type { ProviderCall } from '#providers/operation.ts';
import type { TaskAnswer, TaskOperation, TaskReport, TaskRequest } from '#providers/task-operation.ts';
import { type AskLimits, askVendor, polledTask, vendorCall } from '#tasks/ask-vendor.ts';
import type { TaskOrigin } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** `away`: the upstream could not be asked, or refuses all requests. `odd`: its answer was not understood. */
export type VendorAnswer = TaskReport[] | 'away' | 'odd';

const TIMEOUT_MS = 15_000;
/** For all further requests of a poll: together with the first one they end before the lease. */
const RESULTS_MS = 25_000;
const RESULTS_AT_ONCE = 4;
const LARGEST_ANSWER = 32 * 1024 * 1024;

/** Asks for the state of tasks of one channel and key, or searches for lost ones. Never rejects. */
export async function askAbout(
  deps: Pick<Deps, 'log' | 'upstreams'>,
  origin: TaskOrigin,
  tasks: readonly TaskRow[],
  signal?: AbortSignal,
): Promise<VendorAnswer> {
  const { log } = deps;
  const { channel, operation } = origin;
  const facts = { channel: channel.id, tasks: tasks.length };
  const access = { ...origin, model: tasks[0]?.upstream_model ?? '' };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: operation.largestAnswer ?? LARGEST_ANSWER, signal };
  let call: ProviderCall;
  let answer: TaskAnswer;
  try {
    call = await vendorCall(deps, access);
    const request = requestFor(operation, tasks, call);
    if (request === 'none') return 'away';
    if (request instanceof Error) throw request;
    answer = await askVendor(deps, access, call, request, limits);
  } catch (error) {
    if (error instanceof AdapterError) log.warn({ err: error.cause, ...facts }, 'a poll could not be built');
    else log.info({ reason: error instanceof Error ? error.message : '', ...facts }, 'tasks were not answered');
    return error instanceof AdapterError ? 'odd' : 'away';
  }
  const known = tasks.filter(({ upstream_id }) => upstream_id !== '').map(polledTask);
  let reports: TaskReport[] | undefined;
  try {
    reports = operation.reports(answer, known);
  } catch (error) {
    log.warn({ err: error, ...facts }, 'the state of tasks could not be read');
    return 'odd';
  }
  if (!reports) {
    log.info({ status: answer.status, ...facts }, 'tasks were not answered');
    return isRefusal(answer.status) ? 'away' : 'odd';
  }
  const ask = (request: TaskRequest, most: AskLimits) => askVendor(deps, access, call, request, most);
  return operation.result ? withResults(deps, operation, { reports, tasks, call, ask, limits }) : reports;
}

class AdapterError extends Error {}

function requestFor(
  operation: TaskOperation,
  tasks: readonly TaskRow[],
  call: ProviderCall,
): TaskRequest | AdapterError | 'none' {
  const known = tasks.filter(({ upstream_id }) => upstream_id !== '').map(polledTask);
  try {
    if (known.length > 0) return operation.poll(known, call);
    return (
      operation.find?.(
        tasks.map(({ task_id }) => task_id),
        call,
        tasks.map(polledTask),
      ) ?? 'none'
    );
  } catch (error) {
    return new AdapterError('', { cause: error });
  }
}

/** Answers that concern the account or the service, whatever was asked. */
const isRefusal = (status: number): boolean => status >= 500 || [401, 402, 403, 408, 429].includes(status);

interface ReportedTasks {
  reports: readonly TaskReport[];
  tasks: readonly TaskRow[];
  call: ProviderCall;
  ask(request: TaskRequest, limits: AskLimits): Promise<TaskAnswer>;
  limits: AskLimits;
}

/** Completes successes whose result has to be asked for. Without an answer a task counts as running. */
async function withResults(
  { log }: Pick<Deps, 'log'>,
  { result }: TaskOperation,
  { reports, tasks, call, ask, limits }: ReportedTasks,
): Promise<TaskReport[]> {
  const end = AbortSignal.timeout(RESULTS_MS);
  const signal = limits.signal ? AbortSignal.any([limits.signal, end]) : end;
  const byId = new Map(tasks.map((task) => [task.upstream_id, task]));
  const completed = async (report: TaskReport): Promise<TaskReport> => {
    const task = report.status === 'SUCCESS' ? byId.get(report.upstreamId) : undefined;
    if (!task || !result) return report;
    try {
      const request = result.request(polledTask(task), report, call);
      if (!request) return report;
      const whole = result.read(await ask(request, { ...limits, signal }), report);
      if (whole) return whole;
    } catch (error) {
      log.info({ err: error, task: task.task_id }, 'the result of a task was not answered');
    }
    return { upstreamId: report.upstreamId, status: 'IN_PROGRESS', hasResult: false };
  };
  const whole: TaskReport[] = [];
  for (let from = 0; from < reports.length; from += RESULTS_AT_ONCE)
    whole.push(...(await Promise.all(reports.slice(from, from + RESULTS_AT_ONCE).map(completed))));
  return whole;
}
