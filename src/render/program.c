/* SPDX-License-Identifier: MIT */
#include "render/program.h"

#include <string.h>

#include "base/log.h"
#include "base/status.h"

enum { LOG_BYTES = 2048 };

static ph_status fail_with_log(const char *what, char log[LOG_BYTES])
{
	ph__log(PH_LOG_ERROR, "%s: %s", what, log);
	log[strcspn(log, "\n")] = '\0';
	return ph__fail(PH_ESYS, "%s: %s", what, log);
}

static ph_status attach(GLuint program, GLenum stage, const char *defines,
			const char *const sources[PH__SOURCES_MAX])
{
	const char *text[2 + PH__SOURCES_MAX] = {"#version 450 core\n", defines};
	char log[LOG_BYTES];
	GLsizei count = 2;
	GLint compiled;

	for (int i = 0; i < PH__SOURCES_MAX && sources[i]; i++)
		text[count++] = sources[i];
	GLuint shader = glCreateShader(stage);
	glShaderSource(shader, count, text, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
	if (!compiled)
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
	glDeleteShader(shader); /* the program keeps it */
	return compiled ? PH_OK : fail_with_log("a shader does not compile", log);
}

static ph_status link_program(GLuint program)
{
	char log[LOG_BYTES];
	GLint linked;

	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &linked);
	if (linked)
		return PH_OK;
	glGetProgramInfoLog(program, sizeof(log), NULL, log);
	return fail_with_log("a shader program does not link", log);
}

ph_status ph__program_build(const struct ph__program_source *source, GLuint *program)
{
	GLuint built = glCreateProgram();
	ph_status status = attach(built, GL_VERTEX_SHADER, source->defines, source->vertex);

	if (status == PH_OK && source->fragment[0])
		status = attach(built, GL_FRAGMENT_SHADER, source->defines, source->fragment);
	if (status == PH_OK)
		status = link_program(built);
	if (status < 0) {
		glDeleteProgram(built);
		built = 0;
	}
	*program = built;
	return status;
}
