import type { JsonObject } from './behaviour.ts';
import { type CnTask, type CnVendor, cnVendors, type VideoFault, type VideoStep } from './cn-video-vendors.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';

/** How the next submission is answered, and what becomes of its task, one step per poll; the last one repeats. */
interface VideoBehaviour {
  /** `lost`: the task is accepted and the connection closed. */
  fault?: VideoFault | 'lost';
  steps?: readonly VideoStep[];
}

const usualSteps: readonly VideoStep[] = ['queued', 'running', 'success'];

/** Video services of Chinese vendors, each below `/cn/<vendor>` in its own form. */
export class CnVideoSimulator {
  readonly tasks = new Map<string, CnTask>();
  readonly #queue: VideoBehaviour[] = [];
  #made = 0;

  /** Queues behaviours for the next submissions. */
  next(...behaviours: VideoBehaviour[]): void {
    this.#queue.push(...behaviours);
  }

  /** `cut`: the connection is closed. Undefined: another path. */
  answer(request: ReceivedRequest): SimulatedReply | 'cut' | undefined {
    const [, name = '', rest = ''] = /^\/cn\/([\w-]+)(\/.*)$/s.exec(request.path) ?? [];
    const vendor = cnVendors[name];
    if (!vendor) return undefined;
    const body = request.body.startsWith('{') ? (JSON.parse(request.body) as JsonObject) : {}; // the server sends JSON
    const path = rest.replace(/\?.*/s, '');
    const query = new URLSearchParams(rest.includes('?') ? rest.slice(rest.indexOf('?')) : '');
    if (!vendor.accepts(request)) return refusal(vendor, 'key');
    const asked = { method: request.method, path, query, body };
    if (vendor.submits(asked)) return this.#submit(name, vendor, body);
    const own = [...this.tasks.values()].filter((task) => task.vendor === name);
    const reply = vendor.reports(asked, (id) => polled(own, id), own);
    return jsonReply(reply.status ?? 200, reply.body);
  }

  #submit(name: string, vendor: CnVendor, body: JsonObject): SimulatedReply | 'cut' {
    const { fault, steps = usualSteps } = this.#queue.shift() ?? {};
    if (fault !== undefined && fault !== 'lost') return refusal(vendor, fault);
    const id = `${name}-${++this.#made}`;
    const task: CnTask = { id, vendor: name, body, ownId: vendor.ownIdIn(body), steps, polls: 0, step: 'queued' };
    this.tasks.set(id, task);
    return fault === 'lost' ? 'cut' : jsonReply(200, vendor.accepted(task));
  }
}

/** A task by the vendor's id or the caller's, one step further. */
function polled(tasks: readonly CnTask[], id: string): CnTask | undefined {
  const task = tasks.find((one) => one.id === id || (id !== '' && one.ownId === id));
  if (!task) return undefined;
  task.step = task.steps[Math.min(task.polls++, task.steps.length - 1)] ?? 'queued';
  return task;
}

function refusal(vendor: CnVendor, fault: VideoFault): SimulatedReply {
  const { status, body } = vendor.refuses(fault);
  return jsonReply(status, body);
}
