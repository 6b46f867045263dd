import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '#api/api-error.ts';

/**
 * Saves a form: a refusal that names one of its fields lands there, and the result is undefined; any other is thrown on.
 * `onRefused` is told of those that land at a field.
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
    form.setError(error.field as FieldPath<V>, { type: 'server', message: error.message }, { shouldFocus: true });
    return undefined;
  }
}
