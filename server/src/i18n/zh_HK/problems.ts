import type { ProblemTexts } from '../text-types.ts';

export const problems: ProblemTexts = {
  required: '必須填寫',
  kinds: { text: '文字', number: '數字', whole: '整數', flag: 'true 或 false', list: '列表', object: '物件' },
  expected: (kind) => `必須是${kind}`,
  atLeast: {
    characters: (limit) => (limit === '1' ? '不能留空' : `至少需要 ${limit} 個字元`),
    entries: (limit) => `至少需要 ${limit} 項`,
    number: (limit) => `不能小於 ${limit}`,
  },
  atMost: {
    characters: (limit) => `最多 ${limit} 個字元`,
    entries: (limit) => `最多 ${limit} 項`,
    number: (limit) => `不能大於 ${limit}`,
  },
  above: (limit) => `必須大於 ${limit}`,
  below: (limit) => `必須小於 ${limit}`,
  multiple: (of) => `必須是 ${of} 的倍數`,
  oneOf: (values) => `只可以是以下其中之一：${values}`,
  unknownKeys: (keys) => `含有未知欄位：${keys}`,
  ignored: (field) => `${field}：此請求不接受該欄位，已忽略`,
  format: '格式不正確',
  invalid: '數值無效',
};
