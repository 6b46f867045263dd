import { useMutation, type UseMutationOptions } from '@tanstack/react-query';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '#api/api-error.ts';

/**
 * Saves a form: an error that names one of its fields is shown there, and the result is undefined; others are rethrown.
 * `onRefused` is called for errors shown at a field.
 * `mutationFn: (values) => savedOrRefused(form, () => call(…))`
 */
export async function savedOrRefused<T, V extends FieldValues, C, O>(
  form: UseFormReturn<V, C, O>,
  save: () => Promise<T>,
  onRefused?: (error: ApiError) => void,
): Promise<T | undefined> {
  try {
    return await save();
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined || !(error.field in form.getValues())) throw error;
    onRefused?.(error);
    // The field is one of the form's values, as was just asked.
    form.setError(error.field as FieldPath<V>, { type: 'server', message: messageAt(error) }, { shouldFocus: true });
    return undefined;
  }
}

interface Saving<Sent, Saved> extends Pick<UseMutationOptions<unknown, Error, Sent>, 'gcTime' | 'onSettled'> {
  send: (values: Sent) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
}

/** The saving of a record's form. A refused field is shown there, and the form stays open. */
export function useSaving<Sent, Saved, V extends FieldValues, C, O>(
  form: UseFormReturn<V, C, O>,
  { send, onSaved, ...options }: Saving<Sent, Saved>,
) {
  return useMutation({
    ...options,
    mutationFn: (values: Sent) => savedOrRefused(form, () => send(values)),
    onSuccess: (saved) => {
      if (saved !== undefined) onSaved(saved);
    },
  });
}

/** The server's message without the wire name of the field (`models: must have …`), which the label replaces. */
export function messageAt({ field, message }: ApiError): string {
  if (field === undefined || !message.startsWith(field)) return message;
  const problem = /^ *[:：] *(.+)$/su.exec(message.slice(field.length))?.[1];
  return problem === undefined ? message : problem.charAt(0).toUpperCase() + problem.slice(1);
}
