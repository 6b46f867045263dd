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

/** The server's message without the wire name of the field (`models: must have …`), which the label replaces. */
export function messageAt({ field, message }: ApiError): string {
  if (field === undefined || !message.startsWith(field)) return message;
  const problem = /^ *[:：] *(.+)$/su.exec(message.slice(field.length))?.[1];
  return problem === undefined ? message : problem.charAt(0).toUpperCase() + problem.slice(1);
}
