/** The row of a task that a call submitted. It is written in the transaction that charges the call. */
export interface SubmittedTask {
  taskId: string;
  /** The row exists and waits for this confirmation: it goes on, with this charge. */
  confirms: boolean;
  platform: string;
  action: string;
  mode: string;
  code: number;
  status: string;
  progress: number;
  submitMs: number;
  prompt: string;
  description: string;
  state: string;
  /** JSON text. */
  properties: string;
  keyId: number;
  channelType: number;
  baseUrl: string;
  /** Empty: the answer was lost. */
  upstreamId: string;
  upstreamModel: string;
  /** JSON texts. */
  vendor: string;
  media: string;
  request: string;
  /** Finds the task when its submission is sent again; empty: it is not. */
  requestKey: string;
  parentTaskId: string;
  notifyHook: string;
  /** Unix seconds, like the deadline; 0: never. */
  nextPollAt: number;
  deadline: number;
  /** The vendor can stop it while it runs. */
  cancellable: boolean;
}
