import { completionTokens, inputTokens, noUsage, type Usage } from '@relay-hub/contract';

/** Whether a usage reports no output tokens for a non-empty answer. */
export const lacksOutputTokens = (usage: Usage, estimatedOutput: number): boolean =>
  estimatedOutput > 0 && completionTokens(usage) === 0;

/** Replaces the output by an estimate, and a prompt reported as 0 as well. */
export const withEstimatedOutput = (usage: Usage, estimatedInput: number, estimatedOutput: number): Usage =>
  inputTokens(usage) > 0
    ? { ...usage, output: estimatedOutput }
    : { ...noUsage, input: estimatedInput, output: estimatedOutput, units: usage.units };
