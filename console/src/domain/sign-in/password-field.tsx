import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { TextField, type TextFieldProps } from './text-field.tsx';

export function PasswordField(props: Omit<TextFieldProps, 'type' | 'children'>) {
  const { t } = useTranslation('login');
  const [shown, setShown] = useState(false);
  return (
    <TextField {...props} type={shown ? 'text' : 'password'} autoComplete="current-password">
      <IconButton
        label={t(shown ? 'hide' : 'show')}
        icon={shown ? EyeOff : Eye}
        iconSize={16}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      />
    </TextField>
  );
}
