import { useController, type Control, type FieldPath, type FieldValues } from 'react-hook-form';
import type { FieldProps } from './field.tsx';
import { useFieldMessage } from './use-field-message.ts';

/** Props of every `Form…` field: its place in the form and the texts around it. */
export interface FormFieldProps<T extends FieldValues, N extends FieldPath<T>, Out> extends Omit<FieldProps, 'error'> {
  control: Control<T, unknown, Out>;
  name: N;
  disabled?: boolean | undefined;
}

/** A field's value and setters, and the props of its `Field`, with the translated error. */
export function useFormField<T extends FieldValues, N extends FieldPath<T>, Out>(props: FormFieldProps<T, N, Out>) {
  const { control, name, label, hideLabel, unit, optional, hint, aside, className } = props;
  const { field, fieldState } = useController({ control, name });
  const message = useFieldMessage();
  const shell: FieldProps = {
    label,
    hideLabel,
    unit,
    optional,
    hint,
    aside,
    className,
    error: message(fieldState.error?.message ?? nested(fieldState.error)),
  };
  // Inputs pass text or numbers; the form's schema validates them.
  const change = (value: unknown) => field.onChange(value);
  const blur = () => afterPress(field.onBlur);
  return { value: field.value as unknown, change, blur, ref: field.ref, shell };
}

let isPressed = false;
const waiting = new Set<() => void>();

if (typeof window !== 'undefined') {
  for (const name of ['pointerdown', 'mousedown']) addEventListener(name, () => (isPressed = true), true);
  // The click comes right after the release.
  for (const name of ['pointerup', 'pointercancel', 'mouseup', 'dragend'])
    addEventListener(name, () => setTimeout(release), true);
}

function release(): void {
  isPressed = false;
  const due = [...waiting];
  waiting.clear();
  for (const act of due) act();
}

/** Runs after a press in progress: an error that appears between press and release would move the clicked element. */
function afterPress(act: () => void): void {
  if (isPressed) waiting.add(act);
  else act();
}

/** The first error of a list, whose errors are stored by item. */
function nested(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  for (const item of Object.values(error))
    if (typeof item === 'object' && item !== null && 'message' in item && typeof item.message === 'string')
      return item.message;
  return undefined;
}
