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
    // Checked above: the field is one of the form's values.
    form.setError(error.field as FieldPath<V>, { type: 'server', message: error.message }, { shouldFocus: true });
    return undefined;
  }
}
