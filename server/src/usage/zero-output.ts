import { completionTokens, inputTokens, noUsage, type Usage } from '@relay-hub/contract';

/** Whether a usage reports no output tokens for an answer that holds text, reasoning or tool arguments. */
export const contradictsText = (usage: Usage, estimatedOutput: number): boolean =>
  estimatedOutput > 0 && completionTokens(usage) === 0;

/** Such a usage with the output estimated. A prompt that was reported as 0 too is estimated as well. */
export const withEstimatedOutput = (usage: Usage, estimatedInput: number, estimatedOutput: number): Usage =>
  inputTokens(usage) > 0
    ? { ...usage, output: estimatedOutput }
    : { ...noUsage, input: estimatedInput, output: estimatedOutput, units: usage.units };
