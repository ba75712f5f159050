/** Beginning of the message for a result that the schema of its method refuses. */
export const WRONG_RESULT = 'result differs from its schema: ';
