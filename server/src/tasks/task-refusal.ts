import { RelayError, type RelayErrorDetails } from '#relay/reply/relay-error.ts';

/** A refusal with the number that the platform has for it. */
export class TaskRefusal extends RelayError {
  readonly taskCode: number;

  constructor(status: number, message: string, taskCode: number, details: RelayErrorDetails) {
    super(status, message, details);
    this.taskCode = taskCode;
  }
}

/** 404: there is no such task, or it belongs to another user. */
export const taskNotFound = (code = 'task_not_exist'): TaskRefusal =>
  new TaskRefusal(404, 'The task does not exist.', 3, { type: 'invalid_request_error', code });

/** 400. `param`: the field that is wrong. */
export const invalidTask = (message: string, param?: string): TaskRefusal =>
  new TaskRefusal(400, message, 4, {
    type: 'invalid_request_error',
    code: 'invalid_request',
    ...(param !== undefined && { param }),
  });

/** 503: the channel of the original task takes no new work. */
export const originGone = (): TaskRefusal =>
  new TaskRefusal(503, 'The channel of the original task is no longer available.', 3, {
    type: 'server_error',
    code: 'no_available_channel',
  });
