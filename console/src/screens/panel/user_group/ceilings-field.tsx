import { useController, type Control } from 'react-hook-form';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import type { GroupBody, GroupValues } from './user-group-values.ts';

/** Caps that no token of the group's users exceeds. */
export function CeilingsField({ control }: { control: Control<GroupValues, unknown, GroupBody> }) {
  const { field } = useController({ control, name: 'token_limits' });
  const { ceilings = [], ...rest } = field.value ?? {};
  return (
    <CapsEditor
      caps={ceilings}
      onChange={(caps) => field.onChange({ ...rest, ceilings: caps })}
      onBlur={field.onBlur}
    />
  );
}
