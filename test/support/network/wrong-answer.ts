/** Beginning of the message for a result that the schema of its method refuses. */
export const WRONG_RESULT = 'result differs from its schema: ';

/** Beginning of the message for a fault that its method does not list. */
export const WRONG_FAULT = 'fault is not one of its method: ';

/** Whether a line of a server's output reports an answer that its method does not describe. */
export const isWrongAnswer = (line: string): boolean =>
  line.startsWith(WRONG_RESULT) || line.startsWith(WRONG_FAULT);
